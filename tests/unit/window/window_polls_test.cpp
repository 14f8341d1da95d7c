// Calls of windows that a program may spin on until another rank has stored something.
#include <pure.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/window_ways.hpp"
#include "window/window_table.hpp"

namespace {

using namespace pure::core;
using test_support::world;

struct polled_window {
  polled_window() {
    EXPECT_EQ(pure_win_allocate(8, 8, PURE_INFO_NULL, world, &own, &win), PURE_SUCCESS);
    EXPECT_EQ(pure_win_lock_all(0, win), PURE_SUCCESS);
  }
  std::int64_t* own = nullptr;
  pure_win win = PURE_WIN_NULL;
};

using poll = std::function<void(const polled_window&)>;
const std::vector<std::pair<const char*, poll>> polls{
    {"sync", [](const polled_window& on) { pure_win_sync(on.win); }},
    {"flush", [](const polled_window& on) { pure_win_flush(0, on.win); }},
    {"flush_all", [](const polled_window& on) { pure_win_flush_all(on.win); }},
    {"fetch_and_op",
     [](const polled_window& on) {
       std::int64_t seen = 0;
       pure_fetch_and_op(nullptr, &seen, PURE_INT64_T, 0, 0, PURE_NO_OP, on.win);
     }},
    {"compare_and_swap",
     [](const polled_window& on) {
       const std::int64_t one = 1;
       std::int64_t seen = 0;
       pure_compare_and_swap(&one, &one, &seen, PURE_INT64_T, 0, 0, on.win);
     }},
};

TEST(window_polls, lets_others_of_its_core_run) {
  for (const auto& each : polls) {
    const std::string what = each.first;
    const poll& call = each.second;
    launch_plan plan;
    plan.ranks = 2;
    plan.shares_cores = true;
    plan.has_own_cores = false;
    const auto body = [&](rank_context& self) {
      const polled_window on;
      if (self.thread().how_to_wait().yields) {
        const unsigned before = self.thread().tests_in_vain();
        for (int i = 0; i < 64 * 10; ++i) call(on);
        EXPECT_GE(self.thread().tests_in_vain() - before, 10U) << what;
      } else {
        ADD_FAILURE() << "ranks that share cores";
      }
      return 0;
    };
    EXPECT_EQ(run_ranks(plan, attach_services, body).status, 0);
  }
}

TEST(window_polls, ends_with_the_job) {
  for (const auto& each : polls) {
    const poll& call = each.second;
    const auto failed = [&] {
      pure::run(2, [&] {
        const polled_window on;
        pure_barrier(world);
        if (pure_rank() == 0) throw std::runtime_error("rank 0 gives up");
        for (;;) call(on);
      });
    };
    EXPECT_THROW(failed(), std::runtime_error) << each.first;
  }
}

// The rank that spins is the only one in its process, and no thread looks at the network beside it.
TEST(window_polls, moves_the_network_on) {
  for (const bool is_mapped : {false, true}) {
#if defined(__SANITIZE_THREAD__)
    if (is_mapped) continue;
#endif
    settings values;
    values.async_progress = "off";
    values.window_transport = is_mapped ? "auto" : "messages";
    test_support::loopback_world network(2);
    const auto body = [&](rank_context& self) {
      const polled_window on;
      pure_barrier(world);
      if (self.number() == 1) {
        const std::atomic_ref<std::int64_t> flag(*on.own);
        while (flag.load() == 0) pure_win_sync(on.win);
        EXPECT_EQ(flag.load(), 7);
      } else {
        const std::int64_t seven = 7;
        EXPECT_EQ(pure_put(&seven, 1, PURE_INT64_T, 1, 0, 1, PURE_INT64_T, on.win), PURE_SUCCESS);
        EXPECT_EQ(pure_win_flush(1, on.win), PURE_SUCCESS);
      }
      EXPECT_EQ(pure_win_unlock_all(on.win), PURE_SUCCESS);
      pure_win win = on.win;
      EXPECT_EQ(pure_win_free(&win), PURE_SUCCESS);
      return 0;
    };
    EXPECT_EQ(run_over(network, 2, values, body), 0);
  }
}

}  // namespace
