// exit and its relatives, called by a rank.
//
// exit(n) with n != 0 ends the job, with the call as the cause. exit(0) ends only the calling rank, as if its main had
// returned 0: programs that end with exit(0) must not cut off the ranks that are still at work. (If those wait for the
// rank that has gone, that is a deadlock, and reported as one.) Like libc's exit it runs no destructors of automatic
// objects; handlers registered with atexit run once, when the process ends. Inside pure::run of a larger program there
// is no main to return from, and exit(0), too, ends the process. _exit, _Exit and quick_exit end the job at once.
//
// In a chunk of a task, which may run on any rank, all of them end the job. Outside a rank these functions are libc's.
#include <unistd.h>

#include <cstdlib>

#include <fmt/core.h>

#include <pure/export.hpp>

#include "runtime/job.hpp"
#include "runtime/libc.hpp"
#include "runtime/rank_thread.hpp"

namespace pure::core {

namespace {

[[noreturn]] void end_job_of(const rank_context& self, const char* function, int status) {
  const std::string text = fmt::format("{} called {}({}){}", self.owner().name_of(self), function, status,
                                       rank_in_chunk() == nullptr ? "" : " inside a chunk of a task");
  if (self.owner().action() == failure_action::end_process) self.owner().fail(text, status);
  end_process(text, status == 0 ? 1 : status);
}

template <class Function>
[[noreturn]] void call_libc(const char* name, int status) {
  reinterpret_cast<Function>(libc::next_definition(name))(status);
  libc::exit_now(status);
}

[[noreturn]] void leave(const char* function, int status) {
  if (const rank_context* const rank = rank_of_thread(); rank != nullptr) end_job_of(*rank, function, status);
  call_libc<void (*)(int)>(function, status);
}

}  // namespace
}  // namespace pure::core

extern "C" {

// [[noreturn]] by libc's declarations.

PURE_API void exit(int status) noexcept {
  pure::core::rank_context* const rank = pure::core::self();
  if (rank != nullptr && status == 0 && rank->exit_target != nullptr &&
      rank->owner().action() == pure::core::failure_action::end_process) {
    pure::core::return_from_rank(*rank, 0);
  }
  pure::core::leave("exit", status);
}

PURE_API void quick_exit(int status) noexcept { pure::core::leave("quick_exit", status); }

PURE_API void _exit(int status) {
  if (pure::core::rank_of_thread() == nullptr) pure::core::libc::exit_now(status);
  pure::core::leave("_exit", status);
}

PURE_API void _Exit(int status) noexcept {
  if (pure::core::rank_of_thread() == nullptr) pure::core::libc::exit_now(status);
  pure::core::leave("_Exit", status);
}

}  // extern "C"
