#include "hang/stack_traces.hpp"

#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "hang/interrupted_at.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

namespace {

void on_request(int, siginfo_t*, void* context) {
  rank_context* const rank = rank_of_thread();
  if (rank == nullptr) return;  // between a rank and its chunk: it will be asked again
  stack_slot& slot = rank->thread().stack();
  const std::uint32_t number = slot.asked.load(std::memory_order_relaxed);
  if (slot.answered.load(std::memory_order_relaxed) == number) return;
  const int saved = errno;
  void* frames[stack_slot::most_frames];
  const int depth = backtrace(frames, static_cast<int>(stack_slot::most_frames));
  void** const end = frames + std::max(depth, 0);
  void** first = std::find(frames, end, interrupted_at(context));
  if (first == end) first = frames;  // a sanitizer's, which called this handler later
  const auto count = static_cast<std::size_t>(end - first);
  for (std::size_t i = 0; i < count; ++i) slot.frames[i].store(first[i], std::memory_order_relaxed);
  slot.depth.store(count, std::memory_order_relaxed);
  slot.answered.store(number, std::memory_order_release);  // release: the frames; pairs with has_answered()
  errno = saved;
}

bool has_answered(const stack_slot& slot) noexcept {
  // acquire: the frames; pairs with the release in on_request()
  return slot.answered.load(std::memory_order_acquire) == slot.asked.load(std::memory_order_relaxed);
}

/// A signal with our handler, or 0: the program has taken all of them.
int signal_for_requests() noexcept {
  static int chosen = 0;  // under the lock of collect_stacks
  struct sigaction there {};
  if (chosen != 0 && sigaction(chosen, nullptr, &there) == 0 && (there.sa_flags & SA_SIGINFO) != 0 &&
      there.sa_sigaction == on_request) {
    return chosen;
  }
  for (int number = SIGRTMAX; number >= SIGRTMIN; --number) {
    if (sigaction(number, nullptr, &there) != 0 || (there.sa_flags & SA_SIGINFO) != 0 || there.sa_handler != SIG_DFL) {
      continue;
    }
    struct sigaction action {};
    action.sa_sigaction = on_request;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    if (sigaction(number, &action, nullptr) == 0) return chosen = number;
  }
  return chosen = 0;
}

void send(const stack_slot& slot, int signal) noexcept {
  const int thread = slot.thread_id.load(std::memory_order_relaxed);
  if (thread != 0) syscall(SYS_tgkill, getpid(), thread, signal);
}

}  // namespace

traced_thread::traced_thread(stack_slot& slot) noexcept : slot_(slot) {
  slot.thread_id.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_relaxed);
}
traced_thread::~traced_thread() { slot_.thread_id.store(0, std::memory_order_relaxed); }

std::vector<stack_trace> collect_stacks(std::span<stack_slot* const> of, std::int64_t most_ns) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::vector<stack_trace> all(of.size());
  void* warm_up = nullptr;
  backtrace(&warm_up, 1);  // loads libgcc now: not in a handler
  const int signal = signal_for_requests();
  if (signal == 0) return all;

  for (stack_slot* const each : of) {
    each->asked.fetch_add(1, std::memory_order_relaxed);
    send(*each, signal);
  }
  const auto is_missing = [](const stack_slot* each) {
    return each->thread_id.load(std::memory_order_relaxed) != 0 && !has_answered(*each);
  };
  std::int64_t start_ns = now_ns();
  std::int64_t ask_again_ns = most_ns / 8;
  std::ptrdiff_t missing = 0, missing_before = std::ssize(of);
  while ((missing = std::count_if(of.begin(), of.end(), is_missing)) > 0) {
    // Where others have the cores, threads answer one after the other.
    if (missing < std::exchange(missing_before, missing)) start_ns = now_ns(), ask_again_ns = most_ns / 8;
    const std::int64_t waited_ns = now_ns() - start_ns;
    if (waited_ns > most_ns) break;
    if (waited_ns > ask_again_ns) {
      ask_again_ns *= 2;
      for (const stack_slot* each : of) {
        if (is_missing(each)) send(*each, signal);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i]->thread_id.load(std::memory_order_relaxed) == 0 || !has_answered(*of[i])) continue;
    const std::size_t depth = of[i]->depth.load(std::memory_order_relaxed);
    for (std::size_t k = 0; k < depth; ++k) all[i].push_back(of[i]->frames[k].load(std::memory_order_relaxed));
  }
  return all;
}

}  // namespace pure::core
