// Who helps with a parallel loop: ranks that wait, also when they are about to sleep, and with several loops at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"

namespace {

using namespace std::chrono_literals;
using test_support::environment;

void compute_for(std::chrono::steady_clock::duration time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The owner cannot finish before the rank that waits has done something. A loop of few iterations is shared at once,
/// also while the first one runs.
TEST(parallel_for_helpers, waiting_ranks_take_part) {
  for (const bool in_recv : {true, false}) {
    pure::run(2, [&](pure::comm world) {
      if (world.rank() == 1) {
        if (in_recv) {
          EXPECT_EQ(world.recv<int>(0), 7);
        }
        world.barrier();
        return;
      }
      const auto owner = std::this_thread::get_id();
      for (const int size : {2, 4, 10'000}) {
        std::atomic<int> stolen{0};
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        pure::parallel_for(size, [&](int i) {
          if (std::this_thread::get_id() != owner) {
            ++stolen;
          } else if (size < 10 || i > size / 2) {
            while (stolen == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
          } else {
            compute_for(1us);
          }
        });
        EXPECT_GT(stolen, 0) << size;
      }
      if (in_recv) world.send(7, 1);
      world.barrier();
    });
  }
}

/// The owner wakes those who are counted as parked; who is counted looks once more.
TEST(parallel_for_helpers, a_rank_that_is_about_to_sleep_sees_a_task) {
  const environment at_once{{"PURE_SPIN_US", "0"}};
  pure::run(2, [&](pure::comm world) {
    if (world.rank() == 1) return (void)world.recv<int>(0);
    const auto owner = std::this_thread::get_id();
    const auto end = std::chrono::steady_clock::now() + 1500ms;
    int loops = 0;
    for (bool helped = true; helped && std::chrono::steady_clock::now() < end; ++loops) {
      std::atomic<bool> is_stolen{false};
      const auto deadline = std::chrono::steady_clock::now() + 10s;
      pure::parallel_for(2, [&](int) {
        if (std::this_thread::get_id() != owner) is_stolen = true;
        while (!is_stolen && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      });
      EXPECT_TRUE(helped = is_stolen) << "loop " << loops;
      compute_for(std::chrono::microseconds(loops % 16));  // from waking to sleeping takes some
    }
    world.send(7, 1);
  });
}

/// Loops of several ranks at the same time, thousands of them.
TEST(parallel_for_helpers, many_loops_at_once) {
  pure::run(3, [](pure::comm world) {
    std::vector<std::int64_t> values(5000);
    for (int step = 0; step < 300; ++step) {
      const std::size_t size = static_cast<std::size_t>((step * 37 + world.rank() * 1009) % 5000);
      pure::parallel_for(std::span(values).first(size), [](std::int64_t& x) { ++x; });
      pure::parallel_for(
          size, [&](std::size_t i) { --values[i]; }, pure::chunk_size(97));
      if (step % 10 == 0) world.barrier();
    }
    EXPECT_EQ(values, std::vector<std::int64_t>(5000, 0));
  });
}

}  // namespace
