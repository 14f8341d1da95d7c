// How a job treats the machine while it waits, and how soon it is back: reported, and checked against generous limits.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

double milliseconds(steady_clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

double processor_ms() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

TEST(politeness, a_job_that_waits_uses_no_processor_time) {
  for (const int ranks : {2, 16}) {
    double used_ms = 0, elapsed_ms = 0;
    pure::run(ranks, [&](pure::comm world) {
      if (world.rank() != 0) {
        EXPECT_EQ(world.recv<int>(0), 42);  // and wakes when it comes
        return;
      }
      std::this_thread::sleep_for(100ms);  // longer than the default PURE_SPIN_US: then they have parked
      const double before = processor_ms();
      const auto start = steady_clock::now();
      std::this_thread::sleep_for(1s);
      used_ms = processor_ms() - before;
      elapsed_ms = milliseconds(steady_clock::now() - start);
      for (int to = 1; to < world.size(); ++to) world.send(42, to);
    });
    std::printf("%d ranks, all but one waiting: %.3f %% of a core\n", ranks, 100 * used_ms / elapsed_ms);
    EXPECT_LT(used_ms / elapsed_ms, 0.01);
  }
}

/// The median time from a send to the receiver's next instruction, after the receiver has waited for 10 ms.
double wake_latency_us() {
  constexpr int trials = 50;
  std::vector<double> latencies_us;
  pure::run(2, [&](pure::comm world) {
    for (int i = 0; i < trials; ++i) {
      if (world.rank() == 0) {
        std::this_thread::sleep_for(10ms);
        world.send(steady_clock::now(), 1);
      } else {
        const auto sent = world.recv<steady_clock::time_point>(0);
        latencies_us.push_back(1e3 * milliseconds(steady_clock::now() - sent));
      }
    }
  });
  std::sort(latencies_us.begin(), latencies_us.end());
  std::printf("median %.1f us, best %.1f us, worst %.1f us\n", latencies_us[trials / 2], latencies_us.front(),
              latencies_us.back());
  return latencies_us[trials / 2];
}

TEST(politeness, a_parked_rank_wakes_soon) {
  const test_support::environment at_once{{"PURE_SPIN_US", "0"}};
  std::printf("waking a parked rank: ");
  EXPECT_LT(wake_latency_us(), 50'000);
}

TEST(politeness, a_rank_that_yields_wakes_soon) {
  std::printf("waking a rank that has waited for 10 ms: ");
  EXPECT_LT(wake_latency_us(), 50'000);
}

TEST(politeness, a_job_of_64_ranks_starts_soon) {
  pure::run(1, [] {});  // what is done once per process
  std::vector<double> times_ms;
  for (int i = 0; i < 5; ++i) {
    const auto start = steady_clock::now();
    pure::run(64, [](pure::comm) {});
    times_ms.push_back(milliseconds(steady_clock::now() - start));
  }
  std::sort(times_ms.begin(), times_ms.end());
  std::printf("64 ranks, from start to end: median %.2f ms, worst %.2f ms\n", times_ms[2], times_ms.back());
  EXPECT_LT(times_ms[2], 1000);
}

}  // namespace
