#include "purerun/ranks_as.hpp"

#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "loader/object_file.hpp"
#include "own_mpi.hpp"
#include "purerun/loading.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"
#include "purerun/shared_globals.hpp"

namespace purerun {
namespace {

using pure::core::printable_word;

void check_words(const rank_wish& asked) {
  if (!asked.kind.empty() && asked.kind != "threads" && asked.kind != "processes" && asked.kind != "auto") {
    throw usage_error(fmt::format("--ranks-as {}: it is threads, processes or auto.", printable_word(asked.kind)));
  }
  if (asked.globals.empty()) return;
  if (asked.globals != "private" && asked.globals != "shared")
    throw usage_error(fmt::format("--globals {}: it is private or shared.", printable_word(asked.globals)));
  if (asked.kind == "processes") throw usage_error("--globals is for ranks that are threads: a process has its own.");
}

// Ranks are threads with globals of their own, as somebody wants it.
rank_kind forced(const loading& found, const std::string& name) {
  if (!found.refusal.empty()) throw program_error(not_executable, found.refusal);
  rank_kind kind{.launcher = found.launcher};
  if (!found.against.empty()) {
    kind.note = fmt::format("warning: {}: as threads the ranks share {}, and {}.", name, found.uses.front().what,
                            found.against);
  }
  return kind;
}

rank_kind chosen(const loading& found, const linked_mpi& its, const std::string& name) {
  if (found.against.empty()) {
    return {.launcher = found.launcher,
            .note = fmt::format("{}: ranks are threads with globals of their own.{}", name, text_of_door(its))};
  }
  return {.is_process = true,
          .note = fmt::format("{}: ranks are processes, since {}.{}", name, found.against, text_of_door(its))};
}

// As before there was a loader.
rank_kind sharing(const rank_wish& asked, const std::string& path, const std::string& name) {
  const std::string shared = text_of_globals_between_ranks(path);
  if (asked.kind != "auto") {
    return {.note = shared.empty() ? "" : fmt::format("warning: as threads the ranks share {}", shared)};
  }
  if (shared.empty())
    return {.note = fmt::format("{}: ranks are threads, since it has no writable global variables.", name)};
  return {.is_process = true, .note = fmt::format("{}: ranks are processes; threads would share {}", name, shared)};
}

std::string_view reason_for_processes(const std::string& path) {
  using kind = pure::core::object_file::kind;
  try {
    const kind its = pure::core::object_file(path).what();
    if (its == kind::script || its == kind::unknown) return "it is a script";
  } catch (const std::runtime_error&) {
    return "its file cannot be read";
  }
  return "it is not built with Pure, and may start a program that is";
}

// One that can start others may be there to start the one that is meant (env, gdb, a shell).
rank_kind of_what_starts_others(const rank_wish& asked, const std::string& path, const std::string& name) {
  if (asked.kind == "processes") return {.is_process = true, .may_start_others = true};
  if (asked.kind == "threads" || !asked.globals.empty() || asked.is_for_one_start) return {};  // it runs once
  return {.is_process = true,
          .may_start_others = true,
          .note = fmt::format("{}: ranks are processes, since {}.", name, reason_for_processes(path))};
}

// A program without Pure and without an MPI.
rank_kind without_mpi(const rank_wish& asked, const std::string& path, const std::string& name,
                      const std::vector<std::string>& environment) {
  if (may_start_others(path)) return of_what_starts_others(asked, path, name);
  if (asked.globals == "shared") return {.is_process = asked.kind == "processes"};
  if (asked.kind == "processes") return {.is_process = true, .runs_by_itself = true};
  const loading found = look_at_loading(path, environment, false);
  rank_kind kind;
  if (asked.kind == "threads" || asked.globals == "private") {
    kind = forced(found, name);
  } else if (found.closure && found.launcher.empty()) {
    return {};
  } else {
    kind = found.against.empty()
               ? rank_kind{.launcher = found.launcher,
                           .note = fmt::format("{}: each rank runs it by itself, as a thread.", name)}
               : rank_kind{.is_process = true,
                           .note = fmt::format("{}: each rank runs it by itself, as a process, since {}.", name,
                                               found.against)};
  }
  kind.runs_by_itself = true;
  return kind;
}

}  // namespace

std::string text_of_door(const linked_mpi& its) {
  if (its.family == mpi_family::pure || !is_run_here(its.family)) return {};
  return fmt::format(" Its MPI is Pure, in place of {} ({}).", name_of(its.family), printable_word(its.library));
}

rank_kind choose_rank_kind(const rank_wish& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name, const std::vector<std::string>& environment) {
  check_words(asked);
  const bool is_mpi_program = is_run_here(its.family);
  if (!is_mpi_program && !its.is_of_pure_h) return without_mpi(asked, path, name, environment);
  if (asked.kind == "processes") return {.is_process = true};
  if (is_mpi_program && asked.globals.empty() && own_mpi::launcher().empty()) {  // a copy of Pure that loads none
    return asked.kind.empty() ? rank_kind{.is_process = true} : sharing(asked, path, name);
  }
  const bool is_forced = asked.globals == "private" || (is_mpi_program && asked.kind == "threads");
  if (is_forced && asked.globals != "shared") return forced(look_at_loading(path, environment, its.is_of_pure_h), name);
  if (is_mpi_program) {
    if (asked.globals == "shared") return sharing(asked, path, name);
    return chosen(look_at_loading(path, environment, false), its, name);
  }
  if (asked.kind != "auto") return {};
  return {.note = fmt::format("{}: ranks are threads, since it is a program of pure.h.", name)};
}

}  // namespace purerun
