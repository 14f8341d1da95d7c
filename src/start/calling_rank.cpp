#include "start/calling_rank.hpp"

#include <dlfcn.h>

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <pure/error.hpp>

#include "base/text.hpp"
#include "network/process_launcher.hpp"
#include "runtime/call_error.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/forked_child.hpp"
#include "start/adopted_rank.hpp"
#include "start/processes.hpp"
#include "start/services.hpp"

namespace pure::core {

namespace {

enum class stage { none, beginning, begun, ended };

std::atomic<stage> stage_of_process{stage::none};

/// Never destroyed with the process: what exits without an end is cut off (runtime/cut_off_job.hpp).
adopted_rank* rank_of_process = nullptr;  // by the thread that is it

bool is_main_of_ranks = false;  // written before there are ranks
thread_local stage stage_of_rank = stage::none;

bool is_rank_in_main() noexcept { return is_main_of_ranks && self() != nullptr; }

/// How far the caller is.
stage stage_here() noexcept {
  return is_rank_in_main() ? stage_of_rank : stage_of_process.load(std::memory_order_relaxed);
}

void begin_in_main(const call& by) {
  if (self() == nullptr)
    throw_wrong_call(by, errc::state, "the ranks are threads, and the calling one is none of them");
  if (stage_of_rank == stage::begun) throw_wrong_call(by, errc::state, "the calling rank has begun already");
  stage_of_rank = stage::begun;
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
  stage_of_process.store(stage::begun, std::memory_order_relaxed);
}

outcome end_calling_rank(const call& by, int status) {
  refuse_in_child(by);
  if (is_rank_in_main() && stage_of_rank == stage::begun) {
    stage_of_rank = stage::ended;
    return {};
  }
  if (stage_of_process.load(std::memory_order_relaxed) != stage::begun || self() == nullptr ||
      self() != &rank_of_process->self()) {
    throw_wrong_call(by, errc::state, "the calling thread is no rank that has begun so (pure_init)");
  }
  outcome end = rank_of_process->end(status);
  delete std::exchange(rank_of_process, nullptr);
  ranks_end_by(nullptr);
  stage_of_process.store(stage::ended, std::memory_order_relaxed);
  if (status == 0 && end.status != 0 && end.failure == nullptr) fail_at_exit();
  return end;
}

void ranks_begin_in_main() noexcept { is_main_of_ranks = true; }
bool is_between_begin_and_end() noexcept { return is_rank_in_main() && stage_of_rank == stage::begun; }

bool has_calling_rank_begun() noexcept { return stage_here() >= stage::begun; }
bool has_calling_rank_ended() noexcept { return stage_here() == stage::ended; }

}  // namespace pure::core
