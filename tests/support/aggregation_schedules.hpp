// For tests that hold the ranks of an aggregation at some moment: what they wait for without calls of Pure, and calls
// that need no place of the caller.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/simulated_processes.hpp"

namespace test_support::aggregation_schedules {

inline constexpr pure::core::call finish_call{"finish", {}}, flush_call{"flush", {}}, progress_call{"progress", {}},
    stats_call{"stats", {}};

/// Without a call of Pure. False: after ten seconds it still does not hold.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}
template <class Condition>
void expect_soon(Condition condition, const char* what) {
  EXPECT_TRUE(comes_true(condition)) << what;
}

template <class Work>
void finish_with(pure::core::aggregation& items, Work& work) {
  items.finish(
      finish_call, [](void* context) { return (*static_cast<Work*>(context))(); }, &work);
}
inline void finish(pure::core::aggregation& items) { items.finish(finish_call, nullptr, nullptr); }

}  // namespace test_support::aggregation_schedules
