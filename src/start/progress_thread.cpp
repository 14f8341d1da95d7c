#include "start/progress_thread.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include <pure/error.hpp>

#include "runtime/foreign_threads.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

namespace {

constexpr std::chrono::microseconds shortest_rest(10);
constexpr std::chrono::microseconds longest_rest(200);

}  // namespace

progress_thread::progress_thread(other_processes& others) : others_(others) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw Error(errc::other,
                fmt::format("the thread of PURE_ASYNC_PROGRESS could not be started: {}", error.code().message()));
  }
}

progress_thread::~progress_thread() {
  stops_.store(true, std::memory_order_relaxed);  // relaxed: the thread has nothing to see but this
  thread_.join();
}

void progress_thread::run() noexcept {
  const known_thread known;
  pthread_setname_np(pthread_self(), "progress");
  prctl(PR_SET_TIMERSLACK, 1000UL);  // the usual slack would be most of a short rest
  std::chrono::microseconds rest = shortest_rest;
  while (!stops_.load(std::memory_order_relaxed)) {
    rest = others_.poll_for_busy_ranks() ? shortest_rest : std::min(2 * rest, longest_rest);
    std::this_thread::sleep_for(rest);
  }
}

}  // namespace pure::core
