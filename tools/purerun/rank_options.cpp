#include "purerun/rank_options.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "machine/topology.hpp"
#include "network/process_launcher.hpp"
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

// The program finds this purerun's libmpi_abi and doors first, whatever folder it was linked from. `has_network`: an
// MPI may connect the processes, which is to be found by the names that doors have.
void put_own_mpi_first(std::vector<std::string>& environment, const linked_mpi& its, bool has_network) {
  const std::string folder = own_mpi::folder();
  for (const mpi_family each : {mpi_family::mpich, mpi_family::openmpi}) {
    if (has_network && its.family != each) continue;
    if (const std::string doors = doors_for(each); !doors.empty()) put_first(environment, "LD_LIBRARY_PATH", doors);
  }
  if (!folder.empty()) put_first(environment, "LD_LIBRARY_PATH", folder);
  if (!its.is_fixed || folder.empty()) return;
  const bool is_pure = its.family == mpi_family::pure;
  put_first(environment, "LD_PRELOAD",
            is_pure ? folder + "/" + own_mpi::library : doors_for(its.family) + "/" + its.library);
}

// The network whose MPI cannot be in a process with the program: a door has its name.
std::string network_of(mpi_family family) {
  return family == mpi_family::openmpi ? "openmpi" : family == mpi_family::mpich ? "mpich" : "";
}

// mpi4py's wheels look for an MPI when they are imported, and would find one that knows nothing of the other processes.
// All of them can have MPICH's interface.
void tell_mpi4py(std::vector<std::string>& environment) {
  const std::string doors = doors_for(mpi_family::mpich), folder = own_mpi::folder();
  const bool is_told = std::any_of(environment.begin(), environment.end(), [](const std::string& entry) {
    return entry.starts_with("MPI4PY_LIBMPI=") || entry.starts_with("MPI4PY_MPIABI=");
  });
  if (folder.empty() || is_told) return;
  set_variable(environment, "MPI4PY_LIBMPI", doors.empty() ? folder + "/" + own_mpi::library : doors + "/libmpi.so.12");
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

// Whether what may start others starts one program, and not one for each rank.
bool is_for_one_start(const named_program& behind) {
  const pure::core::process_launch outer = pure::core::recognise_launch(pure::core::environment());
  return behind.its.is_of_pure_h || (outer.by != nullptr && (outer.processes > 1 || !outer.by->leaves_room));
}

bool is_of_another(const linked_mpi& its) { return its.family != mpi_family::none && !is_run_here(its.family); }

std::string warning_of(const named_program& behind, const std::string& starter) {
  return fmt::format("warning: {} is built for {} ({}), not for Pure: each of the processes that {} starts is alone.",
                     pure::core::printable_word(behind.name), pure::core::printable_word(behind.its.library),
                     name_of(behind.its.family), pure::core::printable_word(starter));
}

}  // namespace

void choose_ranks(const rank_request& ranks, process_request& asked, options& result) {
  std::string path;
  try {
    path = find_program(result.command.front());
  } catch (const program_error&) {  // run() says so, when all else is right
  }
  const linked_mpi its = path.empty() ? linked_mpi{} : mpi_linked_with(path);
  const int wanted = settings_of(result.environment).ranks;
  const int count = wanted > 0 ? wanted : pure::core::topology::of_this_machine().default_ranks();
  refuse_foreign_mpi(result.command.front(), its, asked.counts.in_all.value_or(count));
  const bool is_mpi_program = is_run_here(its.family);
  asked.needs_no_mpi = is_mpi_program;
  asked.not_by = network_of(its.family);
  const bool is_by_processes = asked.counts.in_all.has_value() || !ranks.machines_option.empty();
  const bool has_network = is_by_processes && asked.mpi != "none";
  if (is_mpi_program) {
    put_own_mpi_first(result.environment, its, has_network);
    refuse_second_mpi(result.command.front(), path, its, result.environment);
    if (its.family != mpi_family::pure) refuse_what_doors_lack(result.command.front(), path, result.environment);
  }
  rank_wish wish = ranks.wish;
  named_program behind;
  if (its.family == mpi_family::none && !its.is_of_pure_h) {
    behind = program_named_behind(result.command);
    wish.is_for_one_start = is_for_one_start(behind);
  }

  if (ranks.is_explained) {
    path = find_program(result.command.front());
    refuse_privileged(path);
    result.text = explanation_of({.path = path,
                                  .name = pure::core::printable_word(result.command.front()),
                                  .its = its,
                                  .wish = wish,
                                  .ranks = count,
                                  .environment = &result.environment});
    return;
  }

  const bool is_said = !ranks.wish.kind.empty() || !ranks.wish.globals.empty();
  const bool is_one_each = asked.counts.in_all && *asked.counts.in_all == settings_of(result.environment).ranks;
  // Of several processes each may be one rank, and then is what an MPI program expects; others are what they were.
  if (!is_said && is_by_processes && (is_one_each || !is_mpi_program)) return;

  const rank_kind kind = choose_rank_kind(wish, its, path, pure::core::printable_word(result.command.front()),
                                          result.environment);
  result.note = kind.note;
  result.needs_no_rank = kind.runs_by_itself || kind.may_start_others;
  if (kind.is_process && (!ranks.wish.kind.empty() || !is_by_processes))
    make_processes_of_ranks(ranks, asked, result.environment);
  if (its.family == mpi_family::none && (kind.may_start_others || wish.kind == "processes")) {
    put_own_mpi_first(result.environment, its, has_network);
    tell_mpi4py(result.environment);
  }
  if (kind.may_start_others && asked.counts.in_all == 1) result.note.clear();  // a process is what it is anyway
  if (kind.may_start_others && is_of_another(behind.its)) result.note = warning_of(behind, result.command.front());
  if (!kind.launcher.empty()) load_for_each_rank(kind.launcher, path, result);
  if ((is_mpi_program && !kind.is_process) || !kind.launcher.empty())
    set_variable(result.environment, "PURE_RANKS_AS", "threads");
}

}  // namespace purerun
