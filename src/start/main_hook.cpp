// Programs in the paper's style: main() is run by every rank (paper, 4.0.1: __original_main).
//
// libpure stands in front of libc's __libc_start_main, which gets the address of main however main is written. If the
// program includes pure.h, which leaves a marker symbol in it, what libc runs as main starts the ranks instead, and
// each rank runs the program's main with its own copy of the arguments. Without the marker main runs as it is; if it
// returns while ranks run on other threads, that is an end like any other (cut_off_job.hpp).
//
// The ranks of an MPI program are processes, also where it includes pure.h as well; `purerun --ranks-as threads` has
// its main run by every rank.
#include <cxxabi.h>
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pure/error.hpp>
#include <pure/export.hpp>

#include "base/environment.hpp"
#include "base/libc.hpp"
#include "base/output.hpp"
#include "base/second_name.hpp"
#include "base/settings.hpp"
#include "hang/globals_hint.hpp"
#include "network/process_launcher.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/launcher_link.hpp"
#include "start/calling_rank.hpp"
#include "start/launch.hpp"
#include "start/processes.hpp"
#include "start/rank_thread.hpp"
#include "start/services.hpp"

extern "C" {
__attribute__((weak)) extern char pure_main_runs_on_every_rank;
}

namespace pure::core {

namespace {

using main_function = int (*)(int, char**, char**);
main_function program_main = nullptr;  // written before libc runs main

/// As libc does it: with three arguments, however many the program's main takes. (Clang's -fsanitize=function takes
/// that for a mistake.)
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
int call_program_main(int argc, char** argv, char** environment) {
  return program_main(argc, argv, environment);
}

/// A rank's own argv: a main may permute, cut and overwrite it.
class own_arguments {
 public:
  own_arguments(int count, char** values) {
    for (int i = 0; i < count; ++i) {
      texts_.push_back(std::make_unique<char[]>(std::strlen(values[i]) + 1));
      pointers_.push_back(std::strcpy(texts_.back().get(), values[i]));
    }
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(pointers_.size()) - 1; }
  [[nodiscard]] char** values() noexcept { return pointers_.data(); }

 private:
  std::vector<std::unique_ptr<char[]>> texts_;
  std::vector<char*> pointers_;
};

/// By a rank. pthread_exit outside of it is the end of a process's main thread: the process ends with the last of the
/// others, and its status is 0.
int call_main_of(rank_context& rank, own_arguments& arguments, char** environment) {
  try {
    return call_program_main(arguments.count(), arguments.values(), environment);
  } catch (const abi::__forced_unwind&) {
    if (is_forked_child() || !rank.is_outside) throw;
    wait_for_threads_of_rank();
    main_of_rank_has_ended();
    return_from_rank(rank, 0);
  }
}

/// The arguments of all ranks, until all have ended: between a rank's main and what comes after it, nothing else has to
/// be done (rank_thread.hpp).
class arguments_of_ranks {
 public:
  own_arguments& make(int count, char** values) {
    const std::lock_guard lock(making_);
    return all_.emplace_back(count, values);
  }

 private:
  std::mutex making_;
  std::deque<own_arguments> all_;
};

int run_main_on_every_rank(int argc, char** argv, char** environment) {
  settings values;
  try {
    ranks_run_the_same_main();
    values = read_settings();
    const launch_plan plan{.values = values, .ranks = 0, .action = failure_action::end_process};
    arguments_of_ranks all;
    const auto main_of_rank = [&](rank_context& rank) {
      own_arguments& arguments = all.make(argc, argv);
      if (do_ranks_begin_in_main()) main_of_rank_begins(rank);
      const int status = call_main_of(rank, arguments, environment);
      if (is_between_begin_and_end()) {
        rank.owner().fail(
            fmt::format("{}: main has returned {} before MPI_Finalize", rank.owner().name_of(rank), status),
            nonzero_status(status));
      }
      main_of_rank_has_ended();
      return status;
    };
    return run_ranks_of_all_processes(plan, attach_services, main_of_rank).status;
  } catch (const std::exception& error) {
    tell_launcher_aborted(values, 1);  // a launcher of several processes may lose the status
    end_process(error.what(), 1);
  }
}

/// As purerun has it, which has looked at the program. What this process starts is another program.
bool are_ranks_of_mpi_threads() noexcept {
  constexpr const char* name = "PURE_RANKS_AS";
  if (environment_variable(name) == nullptr) return false;
  unsetenv(name);  // NOLINT(concurrency-mt-unsafe): there are no ranks yet
  return true;
}

int run_main_once(int argc, char** argv, char** environment) {
  if (are_ranks_of_mpi_threads()) {
    mark_what_is_started();
    ranks_begin_in_main();
    return run_main_on_every_rank(argc, argv, environment);
  }
  const int status = call_program_main(argc, argv, environment);
  if (would_cut_off_ranks()) {
    const std::string rank = rank_of_thread() != nullptr ? name_of_this_thread() + ": " : "";
    const std::string cause = fmt::format("{}main returned {}", rank, status);
    if (!may_end_at_exit(cause + " while ranks were running", status)) end_cut_off_job(cause, status);
  }
  return status_for_parent(status);
}

}  // namespace
}  // namespace pure::core

extern "C" PURE_API int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                          void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  pure::core::keep_numbers_of_closed_streams();
  using start_function = decltype(&__libc_start_main);
  const auto start = reinterpret_cast<start_function>(pure::core::libc::next_definition("__libc_start_main"));
  const bool every_rank = &pure_main_runs_on_every_rank != nullptr && !pure::core::libc::has_door_before();
  pure::core::program_main = main;
  return start(every_rank ? pure::core::run_main_on_every_rank : pure::core::run_main_once, argc, argv, init, fini,
               rtld_fini, stack_end);
}

PURE_LIBC_NAME(__libc_start_main);
