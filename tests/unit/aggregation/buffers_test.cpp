// Buffers and items step by step: who sends to whom, and what is handled when, held at the moment that counts. Twins of
// mutations (tests/aggregation/mutations.py): without what they ask for, items are lost, wait for ever, or overtake.
#include "aggregation/aggregation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/wait.hpp"
#include "support/aggregation_schedules.hpp"

namespace {

using namespace pure::core;
using namespace std::chrono_literals;
using namespace test_support::aggregation_schedules;
using test_support::make_channel;
using test_support::simulated_processes;

/// The handler that runs because a buffer has filled sends to the same rank.
TEST(aggregation_buffers, a_buffer_that_has_filled_is_away_before_handlers_run) {
  simulated_processes one(1, 2, {.buffer_bytes = 64, .name = "filled"});
  one.run([&](aggregation& items) {
    item_channel* channel = nullptr;
    std::uint64_t next = 0, expected = 0;
    auto handle = [&](std::uint64_t number, int) {
      if (items.rank() == 1) {
        EXPECT_EQ(number, expected++);
      } else {
        for (int i = 0; i < 32; ++i) test_support::send(*channel, next++, 1);
      }
    };
    channel = &make_channel<std::uint64_t>(items, handle);
    if (items.rank() == 0) {
      expect_soon([&] { return items.part().at(0).inbox.has_some(); }, "an item is here");
      for (int i = 0; i < 8; ++i) test_support::send(*channel, next++, 1);
      EXPECT_EQ(next, 40U) << "the handler has run";
      EXPECT_EQ(items.stats(stats_call).buffers, 5U);
    } else {
      test_support::send(*channel, std::uint64_t{0}, 0);
      items.flush(flush_call);
    }
    finish(items);
    EXPECT_EQ(expected, items.rank() == 1 ? 40U : 0U);
  });
}

TEST(aggregation_buffers, a_rank_that_handles_nothing_is_sent_few_buffers) {
  simulated_processes one(1, 2, {.buffer_bytes = 64, .name = "credit"});
  std::atomic<int> sent{0};
  std::atomic<bool> is_held{false};
  one.run([&](aggregation& items) {
    int handled = 0;
    auto handle = [&](std::uint64_t, int) {
      if (handled++ > 0) return;
      is_held = true;
      expect_soon([&] { return sent == 39; }, "four buffers may be under way: the fifth waits");
      std::this_thread::sleep_for(10ms);
      EXPECT_EQ(sent, 39);
    };
    item_channel& channel = make_channel<std::uint64_t>(items, handle);
    for (int i = 0; items.rank() == 0 && i < 8000; ++i) {
      test_support::send(channel, std::uint64_t{1}, 1);
      ++sent;
      if (i == 7) comes_true([&] { return is_held.load(); });
    }
    finish(items);
    EXPECT_EQ(handled, items.rank() == 1 ? 8000 : 0) << "all that is handled is given back";
  });
}

TEST(aggregation_buffers, open_ones_for_many_ranks_stay_under_the_cap) {
  constexpr std::size_t cap = 40'000;
  simulated_processes one(1, 4, {.buffer_bytes = 17'000, .memory_cap = cap, .name = "capped"});
  one.run([&](aggregation& items) {
    auto nothing = [](std::uint64_t, int) {};
    item_channel& channel = make_channel<std::uint64_t>(items, nothing);
    for (int i = 0; i < 40; ++i) test_support::send(channel, std::uint64_t{1}, i % 4);
    finish(items);
    EXPECT_LE(items.stats(stats_call).peak_bytes, cap);
    EXPECT_EQ(items.stats(stats_call).handled, 40U);
  });
}

TEST(aggregation_buffers, what_has_come_from_another_process_and_is_handled_is_acknowledged) {
  simulated_processes two(2, 1, {.buffer_bytes = 64, .scheme = item_scheme::wps, .name = "acknowledged"});
  two.run([&](aggregation& items) {
    auto nothing = [](std::uint64_t, int) {};
    item_channel& channel = make_channel<std::uint64_t>(items, nothing);
    for (int i = 0; i < 80; ++i) test_support::send(channel, std::uint64_t{1}, 1 - items.rank());
    finish(items);
  });
  EXPECT_EQ(two.acknowledged(), 2 * 10);
}

/// Rank 1 makes a channel when items for it have come.
TEST(aggregation_buffers, items_of_channels_that_are_made_late_wait) {
  for (const int processes : {1, 2}) {
    simulated_processes simulated(processes, 2 / processes, {.name = "early"});
    simulated.run([&](aggregation& items) {
      std::vector<int> order;
      auto first = [&](int item, int) { order.push_back(item); };
      auto second = [&](int item, int) { order.push_back(100 + item); };
      item_channel& to_first = make_channel<int>(items, first);
      if (items.rank() == 0) {
        item_channel& to_second = make_channel<int>(items, second);
        for (int i = 0; i < 3; ++i) {
          test_support::send(to_second, i, 1);
          items.flush(flush_call);
        }
        test_support::send(to_first, 7, 1);
        items.flush(flush_call);
      } else {
        comes_true([&] { return items.progress(progress_call) && !order.empty(); });
        EXPECT_EQ(order, std::vector<int>{7});
        make_channel<int>(items, second);
      }
      finish(items);
      if (items.rank() == 1) {
        EXPECT_EQ(order, (std::vector<int>{7, 100, 101, 102}));
      }
    });
  }
}

TEST(aggregation_buffers, urgent_items_are_handled_first) {
  simulated_processes one(1, 2, {.buffer_bytes = 8, .name = "urgent"});
  one.run([&](aggregation& items) {
    std::vector<int> order;
    auto handle = [&](int item, int) { order.push_back(item); };
    item_channel& channel = make_channel<int>(items, handle);
    if (items.rank() == 0) {
      for (int i = 0; i < 4; ++i) test_support::send(channel, i, 1);
      for (const int i : {10, 11}) channel.send_urgent({"send", {}}, reinterpret_cast<const std::byte*>(&i), 1);
      items.owner().owner().worker(1).notify();
    } else {
      expect_soon([&] { return items.part().counts().of(0).sent() == 6; }, "all are here");
      std::this_thread::sleep_for(5ms);  // what is counted is about to be pushed
      items.progress(progress_call);
      EXPECT_EQ(order, (std::vector<int>{10, 11, 0, 1, 2, 3}));
    }
    finish(items);
  });
}

// ---- what nobody flushes --------------------------------------------------------------------------------------------

TEST(aggregation_buffers, a_rank_that_goes_to_sleep_sends_off_what_waits) {
  for (const item_scheme scheme : {item_scheme::ww, item_scheme::wps, item_scheme::automatic}) {
    for (const int processes : {1, 2}) {
      simulated_processes simulated(processes, 2 / processes, {.scheme = scheme, .name = "asleep"});
      std::atomic<bool> is_over{false};
      simulated.run([&](aggregation& items) {
        bool is_handled = false;
        auto note = [&](char, int) { is_handled = true; };
        item_channel& channel = make_channel<char>(items, note);
        if (items.rank() == 0) {
          test_support::send(channel, 'x', 1);
          wait_until(items.owner(), {.what = {"test", {}}, .waiting_for = "the test", .tag = wait_reason::no_tag},
                     [&] { return is_over.load(); });
        } else {
          expect_soon([&] { return items.progress(progress_call) || is_handled; }, "an item comes");
          is_over = true;
          items.owner().owner().worker(0).notify();
        }
        finish(items);
      });
    }
  }
}

TEST(aggregation_buffers, an_item_waits_no_longer_than_the_bound) {
  for (const int processes : {1, 2}) {
    simulated_processes simulated(processes, 2 / processes, {.latency_ns = 1'000'000, .name = "bound"});
    std::atomic<bool> is_handled{false};
    simulated.run([&](aggregation& items) {
      auto note = [&](char, int) { is_handled = true; };
      item_channel& channel = make_channel<char>(items, note);
      if (items.rank() == 0) test_support::send(channel, 'x', 1);
      expect_soon(
          [&] {
            items.progress(progress_call);
            return is_handled.load();
          },
          "an item comes, though nobody flushes");
      finish(items);
    });
  }
}

TEST(aggregation_buffers, the_bound_is_that_of_the_oldest_of_all_channels) {
  constexpr auto bound = 100ms;
  simulated_processes one(1, 1, {.latency_ns = std::chrono::nanoseconds(bound).count(), .name = "oldest"});
  one.run([&](aggregation& items) {
    std::vector<int> order;
    auto note = [&](int item, int) { order.push_back(item); };
    for (int i = 0; i < 3; ++i) {
      test_support::send(make_channel<int>(items, note), i, 0);
      std::this_thread::sleep_for(40ms);
    }  // 120 ms since the first, 80 since the second, 40 since the third
    const auto progress = [&] {
      items.progress(progress_call);
      items.progress(progress_call);
    };
    progress();
    EXPECT_FALSE(order.empty());
    std::this_thread::sleep_for(25ms);
    progress();
    EXPECT_GE(order.size(), 2U) << "the second has waited for the third";
    finish(items);
  });
}

}  // namespace
