#include "start/rank_thread.hpp"

#include <alloca.h>
#include <cxxabi.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <pure/error.hpp>

#include "base/clock.hpp"
#include "hang/crash.hpp"
#include "hang/stack_traces.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/thrown.hpp"
#include "start/worker_threads.hpp"

namespace pure::core {

/// For --stats and --trace: how long a worker lives, and its main runs.
class lifetime_record {
 public:
  explicit lifetime_record(const rank_context& self) noexcept
      : log_(self.log()), start_ns_(log_ != nullptr ? now_ns() : 0) {
    if (log_ != nullptr) log_->counts.start_ns = start_ns_;
  }
  lifetime_record(const lifetime_record&) = delete;
  lifetime_record& operator=(const lifetime_record&) = delete;
  ~lifetime_record() {
    if (log_ != nullptr) log_->counts.lifetime_ns = now_ns() - start_ns_;
  }
  void main_has_returned() noexcept {
    if (log_ != nullptr) log_->add({.start_ns = start_ns_, .end_ns = now_ns(), .kind = trace_event::type::main});
  }

 private:
  activity* const log_;
  const std::int64_t start_ns_;
};

namespace {

std::string what_was_thrown(const std::exception_ptr& thrown) {
  const thrown_text what = text_of(thrown);
  switch (what.kind) {
    case thrown_kind::error: return what.text;  // names its call and rank already
    case thrown_kind::no_memory:
      return "out of memory (std::bad_alloc): the process may have no more, by ulimit -v, a cgroup, or the machine";
    case thrown_kind::standard: return "ended by an exception: " + what.text;
    case thrown_kind::unknown: break;
  }
  return "ended by " + what.text;
}

/// As any main would: what is not Pure's is the language's.
[[noreturn]] void end_child_by(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    end_forked_child(error.what(), 1);
  } catch (...) {
    std::terminate();
  }
}

// ---- the stack ------------------------------------------------------------------------------------------------------

/// Between a thread's first frames and its main; of a small stack, less.
constexpr std::size_t room_bytes = 64 * 1024;
/// At the far end of the stack, for a rank that waits there, and for the chunks that it steals.
constexpr std::size_t far_bytes = 256 * 1024;

/// Calls `then` with its frames that far below the caller's. Touches nothing of what is between.
template <class Then>
[[gnu::noinline]] void call_below(std::size_t bytes, Then&& then) {
  void* const room = alloca(std::max<std::size_t>(bytes, 1));
  asm volatile("" : : "r"(room) : "memory");  // it is used, for all that compilers know
  then();
  asm volatile("" : : "r"(room) : "memory");
}

std::size_t left_of_stack(const rank_context& self) noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return self.stack_low != 0 && here > self.stack_low ? here - self.stack_low : 0;  // 0: it is not known
}

// ---- a rank ---------------------------------------------------------------------------------------------------------

/// As top -H, gdb and perf show it. The main thread, which waits for the ranks, keeps the process's name.
void show_name_of(const rank_context& self) noexcept {
  constexpr std::size_t most = 15;  // the kernel's
  std::string name = self.owner().name_of(self);
  if (name.size() > most) name.resize(most);
  pthread_setname_np(pthread_self(), name.c_str());
}

/// The calling thread is that of the worker, as long as it lives. What it holds is gone before the job hears of its
/// end.
class worker_on_this_thread {
 public:
  explicit worker_on_this_thread(rank_context& self) : self_(self) {
    current_rank = &self;
    show_name_of(self);
    has_.emplace(self);
  }
  worker_on_this_thread(const worker_on_this_thread&) = delete;
  worker_on_this_thread& operator=(const worker_on_this_thread&) = delete;
  ~worker_on_this_thread() {
    has_.reset();
    if (!is_forked_child()) self_.owner().rank_returned(self_);  // whose threads the child does not have
    current_rank = nullptr;
  }

  [[nodiscard]] lifetime_record& lifetime() noexcept { return has_->lifetime; }

 private:
  struct records {
    explicit records(rank_context& self) : listed(self), own_signal_stack(self), lifetime(self) {}
    const worker_thread listed;
    const crash_stack own_signal_stack;
    lifetime_record lifetime;
  };

  rank_context& self_;
  const known_thread known_;
  std::optional<records> has_;
};

void run_main(rank_thread& thread) {
  rank_context& self = *thread.self;
  const std::size_t room = std::min(room_bytes, self.stack_bytes / 32);
  try {
    call_below(room, [&] { thread.status = (*thread.body)(self); });
    if (is_forked_child()) std::exit(thread.status);  // as the end of any main
  } catch (const job_ended&) {                        // another rank's failure; it has been reported
  } catch (const abi::__forced_unwind&) {
    if (is_forked_child()) throw;  // pthread_exit by the only thread: the child ends as without us
    // exit.cpp knows those who ask for this by name, but not who gets round it: a cancellation before all have started.
    end_process(fmt::format("rank {}: its thread was ended (pthread_cancel, pthread_exit)", self.number()), 1);
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    if (is_forked_child()) end_child_by(thrown);
    self.owner().fail(fmt::format("rank {}: {}", self.number(), what_was_thrown(thrown)), 1, thrown);
  }
}

enum class frames_of_main { gone, kept };

/// Until all ranks have come here.
void end_rank(rank_thread& thread, frames_of_main frames) {
  rank_context& self = *thread.self;
  self.exit_target = nullptr;
  thread.lifetime->main_has_returned();
  if (self.owner().ending()) return;
  const bool is_memory_in_use = self.services().end_main();
  const std::size_t left = left_of_stack(self);
  const bool goes_far = is_memory_in_use && frames == frames_of_main::gone && left > 2 * far_bytes;
  call_below(goes_far ? left - far_bytes : 0, [&] { self.owner().wait_for_all_mains(self); });
}

}  // namespace

void* rank_main(void* argument) {
  rank_thread& thread = *static_cast<rank_thread*>(argument);
  rank_context& self = *thread.self;
  worker_on_this_thread here(self);
  const traced_thread traced(self.stack());
  thread.lifetime = &here.lifetime();
  self.exit_target = &thread;
  if (setjmp(thread.exit_target) == 0) {
    run_main(thread);
    end_rank(thread, frames_of_main::gone);
  }
  return nullptr;
}

void return_from_rank(rank_context& self, int status) {
  auto& thread = *static_cast<rank_thread*>(self.exit_target);
  thread.status = status;
  end_rank(thread, frames_of_main::kept);
  std::longjmp(thread.exit_target, 1);
}

// ---- a helper -------------------------------------------------------------------------------------------------------

void* helper_main(void* argument) {
  rank_context& self = *static_cast<rank_thread*>(argument)->self;
  const worker_on_this_thread here(self);
  self.owner().help_until_end(self);
  return nullptr;
}

}  // namespace pure::core
