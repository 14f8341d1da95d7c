// The batches of a measured loop: every iteration once, with whatever permits there are.
#include "task/adaptive_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using pure::core::adaptive_loop;

struct record {
  std::vector<std::atomic<int>> times;
  std::vector<std::uint64_t> batches;  // of the tests with one thread
  std::chrono::nanoseconds cost{0};
  bool one_thread = true;

  explicit record(std::size_t size) : times(size) {}
  [[nodiscard]] bool all_once() const {
    return std::ranges::all_of(times, [](const auto& each) { return each.load() == 1; });
  }
};

void note(void* context, std::uint64_t first, std::uint64_t count) {
  auto& of = *static_cast<record*>(context);
  const auto end = std::chrono::steady_clock::now() + static_cast<std::int64_t>(count) * of.cost;
  for (std::uint64_t i = first; i < first + count; ++i) of.times.at(i).fetch_add(1, std::memory_order_relaxed);
  if (of.one_thread) of.batches.push_back(count);
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(adaptive_loop, the_first_batch_is_one_iteration) {
  record seen(10'000);
  seen.cost = std::chrono::microseconds(1);
  adaptive_loop loop(note, &seen, 10'000, 2);
  EXPECT_TRUE(loop.has_many());
  loop.begin();
  EXPECT_EQ(seen.batches.front(), 1U);
  EXPECT_FALSE(loop.done());
  EXPECT_TRUE(loop.work(loop.batches(65535), adaptive_loop::worker::thief) || loop.done());
  EXPECT_TRUE(loop.done());
  EXPECT_TRUE(seen.all_once());
}

TEST(adaptive_loop, few_permits_suffice) {
  for (const std::uint32_t permits : {1U, 2U, 3U, 10U}) {
    record seen(1000);
    adaptive_loop loop(note, &seen, 1000, 5);
    const std::uint32_t got = loop.batches(permits);
    EXPECT_EQ(got, permits);
    for (std::uint32_t i = 0; i < got; ++i) loop.work(1, adaptive_loop::worker::thief);
    EXPECT_TRUE(loop.done()) << permits;
    EXPECT_TRUE(seen.all_once()) << permits;
    EXPECT_TRUE(loop.work(1, adaptive_loop::worker::thief)) << "nothing is left";
  }
}

TEST(adaptive_loop, a_short_loop_needs_no_task) {
  int alone = 0;
  for (int i = 0; i < 100; ++i) {  // a rank that loses its core meanwhile takes it for a long one
    adaptive_loop loop([](void*, std::uint64_t, std::uint64_t) {}, nullptr, 10, 2);
    loop.begin();
    alone += loop.done() ? 1 : 0;
  }
  EXPECT_GT(alone, 10);
  for (int i = 0; i < 100; ++i) {  // short or, with a sanitizer, long
    record seen(100);
    adaptive_loop loop(note, &seen, 100, 2);
    loop.begin();
    loop.work(loop.batches(100), adaptive_loop::worker::thief);
    EXPECT_TRUE(seen.all_once());
  }
}

TEST(adaptive_loop, few_iterations_are_shared_at_once) {
  record seen(4);
  EXPECT_FALSE(adaptive_loop(note, &seen, 4, 2).has_many());
  EXPECT_FALSE(adaptive_loop(note, &seen, 1000, 64).has_many());
}

TEST(adaptive_loop, after_a_failure_nothing_is_left) {
  adaptive_loop loop([](void*, std::uint64_t, std::uint64_t) { throw std::domain_error("the body"); }, nullptr, 1000,
                     2);
  const std::uint32_t permits = loop.batches(100);
  EXPECT_THROW(loop.work(permits, adaptive_loop::worker::thief), std::domain_error);
  EXPECT_TRUE(loop.done());
  EXPECT_TRUE(loop.work(permits, adaptive_loop::worker::thief));
}

TEST(adaptive_loop, several_threads) {
  for (const std::uint32_t permits : {8U, 100U, 65535U}) {
    record seen(20'000);
    seen.one_thread = false;
    adaptive_loop loop(note, &seen, 20'000, 4);
    std::atomic<std::uint32_t> left{loop.batches(permits)};
    std::vector<std::thread> workers;
    for (int thread = 0; thread < 4; ++thread) {
      workers.emplace_back([&] {
        for (std::uint32_t now = left.load(); now != 0;) {
          if (!left.compare_exchange_weak(now, now - 1)) continue;
          loop.work(1, adaptive_loop::worker::thief);
          now = left.load();
        }
      });
    }
    for (std::thread& each : workers) each.join();
    EXPECT_TRUE(loop.done()) << permits;
    EXPECT_TRUE(seen.all_once()) << permits;
  }
}

/// Two permits for two long iterations, used at the same time: whoever is first leaves one.
TEST(adaptive_loop, a_permit_in_use_gets_a_batch) {
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> inside{0};
    const auto meet = [](void* context, std::uint64_t, std::uint64_t count) {
      ASSERT_EQ(count, 1U);
      auto& all = *static_cast<std::atomic<int>*>(context);
      ++all;
      while (all != 2) std::this_thread::yield();
    };
    adaptive_loop loop(meet, &inside, 2, 2);
    ASSERT_EQ(loop.batches(65535), 2U);
    std::atomic<int> ready{0};
    const auto work = [&](adaptive_loop::worker by) {
      ++ready;
      while (ready != 2) {
      }
      loop.work(1, by);
    };
    std::thread thief(work, adaptive_loop::worker::thief);
    work(adaptive_loop::worker::owner);
    thief.join();
    ASSERT_TRUE(loop.done());
    if (HasFailure()) return;
  }
}

}  // namespace
