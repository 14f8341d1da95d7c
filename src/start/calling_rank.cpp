#include "start/calling_rank.hpp"

#include <dlfcn.h>

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <pure/error.hpp>

#include "base/environment.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "hang/crash.hpp"
#include "network/process_launcher.hpp"
#include "runtime/call_error.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/rank.hpp"
#include "start/adopted_rank.hpp"
#include "start/processes.hpp"
#include "start/services.hpp"

namespace pure::core {

namespace {

/// Never destroyed with the process: what exits without an end is cut off (runtime/cut_off_job.hpp).
adopted_rank* rank_of_process = nullptr;  // by the thread that is it

bool is_main_of_ranks = false;  // written before there are ranks

}  // namespace

/// A rank that runs the program's main.
struct rank_in_main {
  enum class stage { none, beginning, begun, ended };

  explicit rank_in_main(rank_context& of) noexcept
      : rank(&of), current_of_own(&current_rank), chunk_of_own(&current_chunk_rank) {}

  rank_context* const rank;
  // Of the rank's own thread, which makes this. While that is inside, it has not ended.
  rank_context** const current_of_own;
  rank_context** const chunk_of_own;
  std::atomic<stage> at{stage::none};
  std::atomic<bool> has_ended{false};  // its main; relaxed: who looks does nothing more
  std::atomic<int> threads{0};         // that belong to it, besides its own
};

namespace {

using stage = rank_in_main::stage;

std::atomic<stage> stage_of_process{stage::none};

/// By all threads that belong to one; threads may outlive the ranks.
constinit thread_local rank_in_main* here = nullptr;

/// What the thread is to its rank: told by no address, for a thread may lie where one that has ended did. Who has begun
/// is MPI's main thread (5.0, 11.2.1): the rank's own, or a guest.
constinit thread_local bool is_own_of_rank = false, has_begun_rank = false;

/// All that there have been.
struct known_mains {
  std::mutex changing;
  std::deque<rank_in_main> all;
  int between = 0;  // have begun, and not ended
};
known_mains& mains() {
  static auto* const known = new known_mains;
  return *known;
}

/// How far the caller's rank is.
stage stage_here() noexcept {
  // acquire, both: what the begin has made is there; pairs with the release in reach() and begin_calling_rank()
  return here != nullptr ? here->at.load(std::memory_order_acquire) : stage_of_process.load(std::memory_order_acquire);
}

bool is_own_thread_of(const rank_in_main& main) noexcept { return rank_of_thread() == main.rank && !is_guest(); }

/// The calling rank's own thread is there. To threads that belong to none, all ranks are one.
void reach(stage next) {
  known_mains& known = mains();
  const std::lock_guard lock(known.changing);
  here->at.store(next, std::memory_order_release);  // release: pairs with the acquire in stage_here()
  known.between += next == stage::begun ? 1 : -1;
  // relaxed: no thread that belongs to none calls for a rank
  stage_of_process.store(known.between > 0 ? stage::begun : stage::ended, std::memory_order_relaxed);
}

void begin_in_main(const call& by) {
  if (here == nullptr) throw_wrong_call(by, errc::state, "the ranks are threads, and the calling one is none of them");
  if (here->at.load(std::memory_order_relaxed) == stage::begun)
    throw_wrong_call(by, errc::state, "the calling rank has begun already");
  if (is_own_thread_of(*here))
    step_inside(*here->rank);
  else
    here->rank->calls().add_guest();  // the rank's own thread stays outside
  has_begun_rank = true;
  reach(stage::begun);
}

void end_in_main(const call& by) {
  if (here->at.load(std::memory_order_relaxed) != stage::begun || !is_main_thread_of_calling_rank())
    throw_wrong_call(by, errc::state, "the calling thread is no rank that has begun so (pure_init)");
  rank_context& rank = *here->rank;
  rank.calls().dismiss_guests();
  reach(stage::ended);
  has_begun_rank = false;
  if (rank.is_outside) return;
  // step_outside(), for the rank's own thread, which may be another one, and is in no call.
  *here->current_of_own = nullptr;
  *here->chunk_of_own = &rank;
  rank.is_outside = true;
}

/// The rank is its parent's.
void refuse_in_child(const call& by) {
  if (is_forked_from_worker()) throw_wrong_call(by, errc::state, forked_child_text());
}

void check_number(const settings& values) {
  const int processes = processes_started();
  if (values.ranks == 0 || values.ranks == processes) return;
  throw Error(
      errc::state,
      fmt::format(
          "{} are asked for, but each process of a program that starts its rank itself (pure_init, MPI_Init) has "
          "one, and there {}: start it with `purerun --ranks-as processes -n {}`",
          counted(static_cast<unsigned>(values.ranks), "rank"),
          processes == 1 ? "is 1" : fmt::format("are {}", processes), values.ranks));
}

/// In place of success: libc runs the handlers that are left, and takes the later status.
void exit_with_failure(int status, void* /*none*/) {
  if (status == 0) std::exit(1);
}

/// PURE_CHECK has found something when the ranks had ended: the process, which goes on, is to fail when it exits. Its
/// library stays until then.
void fail_at_exit() noexcept {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&exit_with_failure), &here) != 0 && here.dli_fname != nullptr)
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  on_exit(exit_with_failure, nullptr);
}

}  // namespace

void begin_calling_rank(const call& by, failure_action action) {
  if (is_main_of_ranks) return begin_in_main(by);
  if (self() != nullptr) throw_wrong_call(by, errc::state, "the calling thread is a rank already");
  refuse_in_child(by);
  stage before = stage_of_process.load(std::memory_order_relaxed);
  do {
    if (before == stage::beginning || before == stage::begun) {
      throw_wrong_call(by, errc::state,
                       "another thread of this process is a rank already, or about to be one; a process has one");
    }
    // relaxed: what follows is the caller's own
  } while (!stage_of_process.compare_exchange_weak(before, stage::beginning, std::memory_order_relaxed));
  try {
    launch_plan plan;
    plan.values = read_settings();
    if (recognise_launch(environment()).is_nested) plan.values.ranks = 0;  // that was said of the job around it
    plan.action = action;
    check_number(plan.values);
    rank_of_process = adopted_rank::of_all_processes(std::move(plan), attach_services).release();
  } catch (...) {
    stage_of_process.store(before, std::memory_order_relaxed);
    throw;
  }
  ranks_end_by(std::string_view(by.operation).starts_with("MPI_")
                   ? ": MPI_Finalize has to come first"
                   : ": pure_finalize() has to come first (the end of a pure::environment)");
  // release: the rank; pairs with the acquire in stage_here()
  stage_of_process.store(stage::begun, std::memory_order_release);
}

outcome end_calling_rank(const call& by, int status) {
  refuse_in_child(by);
  if (here != nullptr) {
    end_in_main(by);
    return {};
  }
  if (is_main_of_ranks || stage_of_process.load(std::memory_order_relaxed) != stage::begun || self() == nullptr ||
      !is_own_thread_of(rank_of_process->self())) {
    throw_wrong_call(by, errc::state, "the calling thread is no rank that has begun so (pure_init)");
  }
  rank_of_process->self().calls().dismiss_guests();
  outcome end = rank_of_process->end(status);
  delete std::exchange(rank_of_process, nullptr);
  ranks_end_by(nullptr);
  stage_of_process.store(stage::ended, std::memory_order_relaxed);
  if (status == 0 && end.status != 0 && end.failure == nullptr) fail_at_exit();
  if (is_in_handlers_of_exit()) leave_processes(end.status);  // its own handler has run
  return end;
}

void ranks_begin_in_main() noexcept {
  is_main_of_ranks = true;
  left_over_threads_are_known_by(has_outlived_its_rank);
}
bool do_ranks_begin_in_main() noexcept { return is_main_of_ranks; }

void main_of_rank_begins(rank_context& rank) {
  known_mains& known = mains();
  const std::lock_guard lock(known.changing);
  here = &known.all.emplace_back(rank);
  is_own_of_rank = true;
  step_outside(rank);
}

void main_of_rank_has_ended() noexcept {
  if (here != nullptr) here->has_ended.store(true, std::memory_order_relaxed);
}

bool has_outlived_its_rank() noexcept {
  return here != nullptr && here->has_ended.load(std::memory_order_relaxed) && !is_own_thread_of(*here) &&
         !is_forked_child();
}

bool is_between_begin_and_end() noexcept { return here != nullptr && stage_here() == stage::begun; }

rank_context* rank_of_other_thread() noexcept {
  if (self() != nullptr || stage_here() != stage::begun || is_forked_child()) return nullptr;
  if (here != nullptr && here->rank->is_outside && is_own_of_rank) return here->rank;
  if (rank_of_thread() != nullptr) return nullptr;  // in a function that a call runs
  if (here != nullptr) return here->rank;
  return is_main_of_ranks ? nullptr : &rank_of_process->self();
}

void enter_begun_rank() {
  rank_context& rank = *rank_of_other_thread();
  if (here != nullptr && is_own_of_rank)
    step_inside(rank);
  else
    rank.calls().add_guest();
}

bool is_main_thread_of_calling_rank() noexcept {
  if (here != nullptr) return has_begun_rank;
  return rank_of_process != nullptr && is_own_thread_of(rank_of_process->self());
}

rank_in_main* belongs_to() noexcept { return here; }
/// (Not instrumented: a thread calls it before ThreadSanitizer knows the thread.)
__attribute__((no_sanitize("thread"))) void belong_to(rank_in_main* whose) noexcept { here = whose; }

void add_thread_to(rank_in_main& whose) noexcept { whose.threads.fetch_add(1, std::memory_order_relaxed); }

void remove_thread_from(rank_in_main& whose) noexcept {
  // release: what the thread has done; pairs with the acquire in wait_for_threads_of_rank()
  whose.threads.fetch_sub(1, std::memory_order_release);
  whose.threads.notify_all();
}

void wait_for_threads_of_rank() noexcept {
  if (here == nullptr) return;
  // acquire: pairs with the release in remove_thread_from()
  while (const int left = here->threads.load(std::memory_order_acquire))
    here->threads.wait(left, std::memory_order_relaxed);
}

bool has_calling_rank_begun() noexcept { return stage_here() >= stage::begun; }
bool has_calling_rank_ended() noexcept { return stage_here() == stage::ended; }

int status_for_parent(int status) {
  if ((status & 0xff) != 0 || status == 0 || !has_calling_rank_begun() || is_forked_child()) return status;
  const int shown = nonzero_status(status);
  say("pure: a rank has ended with {}, which as an exit status would be 0: the status is {}\n", status, shown);
  return shown;
}

}  // namespace pure::core
