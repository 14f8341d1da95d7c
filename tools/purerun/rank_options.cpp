#include "purerun/rank_options.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "machine/topology.hpp"
#include "own_mpi.hpp"
#include "purerun/explain.hpp"
#include "purerun/mpi_program.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

using pure::core::counted;

// Puts it before what the variable, a list, has already.
void put_first(std::vector<std::string>& environment, const std::string& name, const std::string& first) {
  std::string others;
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) others = entry.substr(name.size());
  }
  if (others.size() > 1) others.front() = ':';
  set_variable(environment, name, first + (others.size() > 1 ? others : ""));
}

// The program finds this purerun's libmpi_abi first, whatever folder it was linked from.
void put_own_mpi_first(std::vector<std::string>& environment, const linked_mpi& its) {
  const std::string folder = own_mpi::folder();
  if (!folder.empty()) put_first(environment, "LD_LIBRARY_PATH", folder);
  if (!folder.empty() && its.is_fixed) put_first(environment, "LD_PRELOAD", folder + "/" + own_mpi::library);
}

// mpi4py's wheels look for an MPI when they are imported, and would find one that knows nothing of the other processes.
void tell_mpi4py(std::vector<std::string>& environment) {
  const std::string folder = own_mpi::folder();
  const bool is_told = std::any_of(environment.begin(), environment.end(), [](const std::string& entry) {
    return entry.starts_with("MPI4PY_LIBMPI=") || entry.starts_with("MPI4PY_MPIABI=");
  });
  if (!folder.empty() && !is_told) set_variable(environment, "MPI4PY_LIBMPI", folder + "/" + own_mpi::library);
}

// Where each rank is a process: as many as there are ranks.
void make_processes_of_ranks(const rank_request& ranks, process_request& asked, std::vector<std::string>& environment) {
  if (!ranks.machines_option.empty()) {
    throw usage_error(fmt::format("--ranks-as processes is for this machine, and {} for several: leave one out.",
                                  ranks.machines_option));
  }
  int count = settings_of(environment).ranks;
  if (count == 0) count = pure::core::topology::of_this_machine().default_ranks();
  if (asked.counts.in_all && *asked.counts.in_all != count) {
    throw usage_error(fmt::format("--ranks-as processes makes {} of {}, but -N says {}: leave -N out.",
                                  counted(static_cast<unsigned>(count), "process"),
                                  counted(static_cast<unsigned>(count), "rank"), *asked.counts.in_all));
  }
  asked.counts.in_all = count;
  if (asked.mpi == "auto") asked.mpi = "none";
  set_variable(environment, "PURE_RANKS", std::to_string(count));
}

// What executes as the program: the one that loads it for each rank.
void load_for_each_rank(const std::string& launcher, const std::string& path, options& result) {
  result.executable = launcher;
  const std::string_view shown = std::string_view(path).starts_with("./") ? std::string_view(path).substr(2) : path;
  set_variable(result.environment, "PURE_LOAD", std::filesystem::absolute(shown).string());
  set_variable(result.environment, "PURE_LOAD_NAME", result.command.front());
}

}  // namespace

void choose_ranks(const rank_request& ranks, process_request& asked, options& result) {
  std::string path;
  try {
    path = find_program(result.command.front());
  } catch (const program_error&) {  // run() says so, when all else is right
  }
  const linked_mpi its = path.empty() ? linked_mpi{} : mpi_linked_with(path);
  refuse_foreign_mpi(result.command.front(), its);
  const bool is_mpi_program = its.family == mpi_family::pure;
  asked.needs_no_mpi = is_mpi_program;
  const bool may_start_one = its.family == mpi_family::none && ranks.wish.kind == "processes";  // a script, say
  if (is_mpi_program || may_start_one) put_own_mpi_first(result.environment, its);
  if (is_mpi_program) refuse_second_mpi(result.command.front(), path, result.environment);
  if (may_start_one) tell_mpi4py(result.environment);

  if (ranks.is_explained) {
    path = find_program(result.command.front());
    refuse_privileged(path);
    const int count = settings_of(result.environment).ranks;
    result.text = explanation_of({.path = path,
                                  .name = pure::core::printable_word(result.command.front()),
                                  .its = its,
                                  .wish = ranks.wish,
                                  .ranks = count > 0 ? count : pure::core::topology::of_this_machine().default_ranks(),
                                  .environment = &result.environment});
    return;
  }

  const bool is_said = !ranks.wish.kind.empty() || !ranks.wish.globals.empty();
  const bool is_by_processes = asked.counts.in_all.has_value() || !ranks.machines_option.empty();
  const bool is_one_each = asked.counts.in_all && *asked.counts.in_all == settings_of(result.environment).ranks;
  // Of several processes each may be one rank, and then is what an MPI program expects; others are what they were.
  if (!is_said && is_by_processes && (is_one_each || !is_mpi_program)) return;

  const rank_kind kind = choose_rank_kind(ranks.wish, its, path, pure::core::printable_word(result.command.front()),
                                          result.environment);
  result.note = kind.note;
  result.runs_by_itself = kind.runs_by_itself;
  if (kind.is_process && (!ranks.wish.kind.empty() || !is_by_processes))
    make_processes_of_ranks(ranks, asked, result.environment);
  if (!kind.launcher.empty()) load_for_each_rank(kind.launcher, path, result);
  if ((is_mpi_program && !kind.is_process) || !kind.launcher.empty())
    set_variable(result.environment, "PURE_RANKS_AS", "threads");
}

}  // namespace purerun
