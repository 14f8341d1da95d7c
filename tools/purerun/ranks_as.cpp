#include "purerun/ranks_as.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "loader/closure.hpp"
#include "loader/object_file.hpp"
#include "own_mpi.hpp"
#include "purerun/options.hpp"
#include "purerun/process_wide.hpp"
#include "purerun/program.hpp"
#include "purerun/shared_globals.hpp"

namespace purerun {
namespace {

using pure::core::loader_refusal;
using pure::core::printable_word;
using pure::core::program_closure;

void check_words(const rank_wish& asked) {
  if (!asked.kind.empty() && asked.kind != "threads" && asked.kind != "processes" && asked.kind != "auto") {
    throw usage_error(fmt::format("--ranks-as {}: it is threads, processes or auto.", printable_word(asked.kind)));
  }
  if (asked.globals.empty()) return;
  if (asked.globals != "private" && asked.globals != "shared")
    throw usage_error(fmt::format("--globals {}: it is private or shared.", printable_word(asked.globals)));
  if (asked.kind == "processes") throw usage_error("--globals is for ranks that are threads: a process has its own.");
}

// What was found out about a program that is to be loaded for each rank.
struct loading {
  std::optional<program_closure> closure;
  std::string launcher;            // empty: it cannot be
  std::string against;             // why not, or why it had better not: "it is linked statically"
  std::string refusal;             // the same at length; empty: it can be loaded
  std::string_view shared_anyway;  // what ranks would share all the same: "the working directory"
};

// Of a copy of libpure, beside it; empty: there is none.
std::string launcher_beside(const std::string& library) {
  const std::filesystem::path folder = std::filesystem::path(library).parent_path();
  std::error_code ignored;
  for (const std::filesystem::path& each :
       {folder / own_mpi::launcher_of_pure_h, folder / "pure" / own_mpi::launcher_of_pure_h}) {
    if (std::filesystem::exists(each, ignored)) return each.string();
  }
  return {};
}

std::string launcher_for(const program_closure& closure, bool is_of_pure_h) {
  if (!is_of_pure_h) return own_mpi::launcher();
  for (const pure::core::program_object& each : closure.objects) {
    if (std::filesystem::path(each.path).filename().string().starts_with("libpure.so"))
      return launcher_beside(each.path);
  }
  return {};
}

loading look(const std::string& path, const std::vector<std::string>& environment, bool is_of_pure_h) {
  loading found;
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  try {
    found.closure = pure::core::closure_of(path, pointers.data());
    found.launcher = launcher_for(*found.closure, is_of_pure_h);
    if (found.launcher.empty()) {
      found.against = "this copy of Pure has no program that loads others";
      found.refusal = fmt::format("{} cannot be loaded for each rank, since {}.", printable_word(path), found.against);
      return found;
    }
    const auto uses = process_wide_uses(*found.closure, environment);
    if (!uses.empty() && uses.front().decides) {
      found.against = uses.front().by;
      found.shared_anyway = uses.front().what;
    }
  } catch (const loader_refusal& refusal) {
    if (refusal.is_for_all()) throw program_error(not_found, refusal.what());  // as the dynamic linker ends it
    found.against = refusal.reason();
    found.refusal = refusal.what();
  } catch (const std::runtime_error& error) {
    found.against = error.what();
    found.refusal = error.what();
    if (found.against.ends_with('.')) found.against.pop_back();
  }
  return found;
}

// Ranks are threads with globals of their own, as somebody wants it.
rank_kind forced(const loading& found, const std::string& name) {
  if (!found.refusal.empty()) throw program_error(not_executable, found.refusal);
  rank_kind kind{.launcher = found.launcher};
  if (!found.against.empty()) {
    kind.note = fmt::format("warning: {}: as threads the ranks share {}, and {}.", name, found.shared_anyway,
                            found.against);
  }
  return kind;
}

rank_kind chosen(const loading& found, const std::string& name) {
  if (found.against.empty())
    return {.launcher = found.launcher, .note = fmt::format("{}: ranks are threads with globals of their own.", name)};
  return {.is_process = true, .note = fmt::format("{}: ranks are processes, since {}.", name, found.against)};
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

// A program without Pure and without an MPI. One that can start others may be there to start the one that is meant
// (env, gdb, a shell), and runs once, as does what nobody can look into.
rank_kind without_mpi(const rank_wish& asked, const std::string& path, const std::string& name,
                      const std::vector<std::string>& environment) {
  if (asked.globals == "shared" || may_start_others(path)) return {.is_process = asked.kind == "processes"};
  if (asked.kind == "processes") return {.is_process = true, .runs_by_itself = true};
  const loading found = look(path, environment, false);
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

rank_kind choose_rank_kind(const rank_wish& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name, const std::vector<std::string>& environment) {
  check_words(asked);
  const bool is_mpi_program = its.family == mpi_family::pure;
  if (!is_mpi_program && !its.is_of_pure_h) return without_mpi(asked, path, name, environment);
  if (asked.kind == "processes") return {.is_process = true};
  if (is_mpi_program && asked.globals.empty() && own_mpi::launcher().empty()) {  // a copy of Pure that loads none
    return asked.kind.empty() ? rank_kind{.is_process = true} : sharing(asked, path, name);
  }
  const bool is_forced = asked.globals == "private" || (is_mpi_program && asked.kind == "threads");
  if (is_forced && asked.globals != "shared") return forced(look(path, environment, its.is_of_pure_h), name);
  if (is_mpi_program) {
    if (asked.globals == "shared") return sharing(asked, path, name);
    return chosen(look(path, environment, false), name);
  }
  if (asked.kind != "auto") return {};
  return {.note = fmt::format("{}: ranks are threads, since it is a program of pure.h.", name)};
}

}  // namespace purerun
