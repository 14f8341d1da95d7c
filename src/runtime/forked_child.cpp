#include "runtime/forked_child.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/libc.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/job.hpp"
#include "runtime/last_output.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

constinit bool forked_from_worker = false;

namespace {

std::atomic<pid_t> process_of_ranks{0};  // 0: none have run
forking_worker forked_by;                // as forked_from_worker

forking_worker worker_of(const rank_context* self) noexcept {
  if (self == nullptr) return {};
  const job& owner = self->owner();
  const bool is_helper = owner.is_helper(*self);
  return {true, is_helper, self->number() - (is_helper ? owner.size() : 0)};
}

/// In the child, by its only thread.
void on_fork() noexcept {
  threads_were_left_behind();
  jobs_were_left_behind();
  rank_context* const rank = rank_of_thread();
  if (rank == nullptr) return;
  forked_by = worker_of(rank);
  forked_from_worker = true;
  // The child may be inside a call of Pure, in a chunk or an operator of the program, and go on there.
  if (other_processes* const others = rank->owner().others()) others->leave_network_to_parent();
  current_rank = nullptr;
  current_chunk_rank = nullptr;
}

}  // namespace

void ranks_run_in_this_process() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, on_fork); });
  if (is_forked_child()) {  // one that was told nothing (_Fork, clone)
    threads_were_left_behind();
    jobs_were_left_behind();
  }
  process_of_ranks.store(getpid(), std::memory_order_relaxed);  // relaxed: those that ask are started later
}

bool is_forked_child() noexcept {
  const pid_t here = process_of_ranks.load(std::memory_order_relaxed);
  return here != 0 && getpid() != here;
}

forking_worker who_has_forked() noexcept {
  if (is_forked_from_worker()) return forked_by;
  return is_forked_child() ? worker_of(rank_of_thread()) : forking_worker{};
}

std::string forked_child_text() {
  const forking_worker parent = who_has_forked();
  const std::string whose = !parent.is_known   ? "a process that runs ranks"
                            : parent.is_helper ? fmt::format("helper {}", parent.number)
                                               : fmt::format("rank {}", parent.number);
  return fmt::format(
      "process {} is a forked child of {}, and itself no rank: it has no part in the job, and can only "
      "become another program (exec) or end (_exit, exit)",
      getpid(), whose);
}

void end_forked_child(const std::string& text, int status) noexcept {
  print_message(text);
  libc::exit_now(nonzero_status(status));
}

}  // namespace pure::core
