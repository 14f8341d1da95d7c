// exit and its relatives, called by a rank.
//
// exit(n) with n != 0 ends the job, with the call as the cause. exit(0) ends only the calling rank, as if its main had
// returned 0: programs that end with exit(0) must not cut off the ranks that are still at work. (If those wait for the
// rank that has gone, that is a deadlock, and reported as one.) Like libc's exit it runs no destructors of automatic
// objects; handlers registered with atexit run once, when the process ends. Inside pure::run of a larger program there
// is no main to return from, and exit(0), too, ends the process. _exit, _Exit and quick_exit end the job at once.
//
// A rank that is a thread and runs the main of an MPI program stands for a process. Before MPI_Init and after
// MPI_Finalize each of these functions, with any status, ends that rank only, as if its main had returned the status.
// (There a signal handler that calls _exit on the rank's thread has to come where libc may be called.) A process that
// was a rank, and leaves by one of them, is one that has left the job in order.
//
// In a chunk of a task, which may run on any rank, all of them end the job. On a thread that is no rank they do so
// while ranks run (cut_off_job.hpp), and are libc's otherwise. _exit and _Exit may be called by signal handlers.
// pthread_exit and thrd_exit by a rank, and pthread_cancel of one, are errors: its frames would be dropped in the
// middle of whatever it does for others. Before MPI_Init and after MPI_Finalize the first two end the rank when its
// other threads have ended (main_hook.cpp), as they end a process.
//
// A thread that has outlived its rank would have ended with the rank's process: these functions do not return to it,
// and do nothing else.
//
// In a child of this process (forked_child.hpp), which may share its parent's memory, all are libc's: nothing is
// written before that is known.
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/core.h>

#include <pure/export.hpp>

#include "base/libc.hpp"
#include "base/second_name.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/launcher_link.hpp"
#include "start/calling_rank.hpp"
#include "start/processes.hpp"
#include "start/rank_thread.hpp"
#include "start/worker_threads.hpp"

namespace pure::core {

namespace {

/// The rank, or the helper, that this thread is: none in a child. (A guest's rank may be gone.)
rank_context* caller() noexcept {
  if (is_guest()) return nullptr;
  rank_context* const rank = rank_of_thread();
  return rank == nullptr || is_forked_child() ? nullptr : rank;
}

[[noreturn]] void end_job_of(const rank_context& self, const std::string& text, int status) {
  if (self.owner().action() == failure_action::end_process) self.owner().fail(text, status);
  end_process(text, nonzero_status(status));
}

std::string called(const rank_context& self, const std::string& function) {
  return fmt::format("{} called {}{}", self.owner().name_of(self), function,
                     rank_in_chunk() == nullptr || self.is_outside ? "" : " inside a chunk of a task");
}

template <class Argument>
[[noreturn]] void call_libc(const char* name, Argument argument) {
  reinterpret_cast<void (*)(Argument)>(libc::next_definition(name))(argument);
  libc::exit_now(1);
}

/// The end of a process in which no ranks run.
void leave_at_once(int status) noexcept {
  leave_processes_at_once();
  if (status == 0) tell_launcher_left();
}

/// For a thread that a process of its rank would not have any more.
void stay_if_left_over() noexcept {
  if (!has_outlived_its_rank()) return;
  for (;;) pause();
}

[[noreturn]] void leave(const char* function, int status, bool runs_handlers) {
  if (!ends_process_by_order()) {
    if (const rank_context* const rank = caller()) {
      const std::string text = called(*rank, fmt::format("{}({})", function, status));
      if (runs_handlers && may_end_at_exit(text, status)) call_libc(function, status);
      end_job_of(*rank, text + missing_end(status), status);
    }
    if (would_cut_off_ranks()) {
      end_cut_off_job(fmt::format("{} called {}({})", name_of_this_thread(), function, status), status);
    }
  }
  status = status_for_parent(status);
  if (runs_handlers) {
    if (status == 0) tell_launcher_left();
  } else if (!would_cut_off_ranks()) {
    leave_at_once(status);
  }
  call_libc(function, status);
}

/// Whether the caller is a rank that is a thread in place of a process, before its begin or after its end.
bool is_outside_of_rank() noexcept {
  const rank_context* const rank = caller();
  return rank != nullptr && do_ranks_begin_in_main() && rank->is_outside && !is_between_begin_and_end();
}

/// By exit and its relatives, if the caller is a rank whose main may return.
void return_from_calling_rank(int status) noexcept {
  rank_context* const rank = caller();
  if (rank == nullptr || rank->thread().exit_target == nullptr || rank->owner().action() != failure_action::end_process)
    return;
  if (rank != self() && !rank->is_outside) return;  // in a chunk of a task
  if (is_between_begin_and_end()) end_job_of(*rank, called(*rank, "exit(0)") + ": MPI_Finalize has to come first", 1);
  main_of_rank_has_ended();
  return_from_rank(*rank, status);
}

/// _exit and _Exit.
[[noreturn]] void exit_now(const char* function, int status) noexcept {
  stay_if_left_over();
  if (is_outside_of_rank()) return_from_calling_rank(status);
  end_cut_off_job_at_once(function, status);
  leave_at_once(status);
  libc::exit_now(status);  // as it is: it may be called by a signal handler, where nothing can be said
}

constexpr char how_ranks_end[] = ": a rank ends when its main returns, or by exit(0); pure_abort() ends the job";

/// pthread_exit and thrd_exit unwind the thread's frames (or drop them), but not as an exception does that anybody may
/// catch.
template <class Value>
[[noreturn]] void leave_thread(const char* function, Value value) {
  if (const rank_context* const rank = caller(); rank != nullptr && !rank->is_outside) {
    const std::string missing = missing_end(0);
    end_job_of(*rank, called(*rank, function) + (missing.empty() ? how_ranks_end : missing), 1);
  }
  call_libc(function, value);
}

}  // namespace
}  // namespace pure::core

extern "C" {

// [[noreturn]] by libc's declarations.

PURE_API void exit(int status) noexcept {
  using namespace pure::core;
  stay_if_left_over();
  if (!ends_process_by_order() && (status == 0 || is_outside_of_rank())) return_from_calling_rank(status);
  leave("exit", status, true);
}

PURE_API void quick_exit(int status) noexcept {
  using namespace pure::core;
  stay_if_left_over();
  if (!ends_process_by_order() && is_outside_of_rank()) return_from_calling_rank(status);
  leave("quick_exit", status, false);
}

PURE_API void _exit(int status) { pure::core::exit_now("_exit", status); }

PURE_API void _Exit(int status) noexcept { pure::core::exit_now("_Exit", status); }

PURE_API void pthread_exit(void* value) { pure::core::leave_thread("pthread_exit", value); }

PURE_API void thrd_exit(int value) { pure::core::leave_thread("thrd_exit", value); }

PURE_API int pthread_cancel(pthread_t thread) {
  using cancel = int (*)(pthread_t);
  if (!pure::core::is_forked_child()) {
    const pure::core::rank_context* const by = pure::core::rank_of_thread();
    pure::core::visit_worker_of(thread, [&](const pure::core::rank_context& cancelled) {
      const pure::core::job& job = cancelled.owner();
      const std::string text = fmt::format(
          "{}'s thread was cancelled (pthread_cancel) by {}: {}", job.name_of(cancelled),
          by == nullptr ? "a thread that is no rank" : by->owner().name_of(*by), pure::core::how_ranks_end);
      pure::core::end_job_of(cancelled, text, 1);
    });
  }
  return reinterpret_cast<cancel>(pure::core::libc::next_definition("pthread_cancel"))(thread);
}

}  // extern "C"

PURE_LIBC_NAME(exit);
PURE_LIBC_NAME(quick_exit);
PURE_LIBC_NAME(_exit);
PURE_LIBC_NAME(_Exit);
PURE_LIBC_NAME(pthread_exit);
PURE_LIBC_NAME(thrd_exit);
PURE_LIBC_NAME(pthread_cancel);
