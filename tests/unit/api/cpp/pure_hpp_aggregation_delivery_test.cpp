// pure::aggregation: what travels when: urgent and combined items, latency, sizes of buffers, memory.
#include <pure/aggregation.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

namespace {

using namespace std::chrono_literals;

/// Runs `body(world)` on 1, 2, 3, 4 and 9 ranks.
template <class Body>
void in_all_worlds(Body body) {
  for (const int ranks : {1, 2, 3, 4, 9}) pure::run(ranks, [&](pure::comm world) { body(world); });
}

/// Without a call of Pure, until the condition holds.
template <class Condition>
void take_long_while_not(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

TEST(pure_hpp_aggregation_delivery, a_handler_may_get_the_items_that_lie_together) {
  pure::run(3, [](pure::comm world) {
    const int ranks = world.size(), rank = world.rank();
    constexpr int each = 5000;
    std::vector<int> next(static_cast<std::size_t>(ranks));
    std::size_t longest = 0, alone = 0;
    pure::aggregation items(world);
    const auto numbers = items.on<int>([&](std::span<const int> some, pure::sender from) {
      longest = std::max(longest, some.size());
      for (const int number : some) EXPECT_EQ(number, next[static_cast<std::size_t>(from.rank)]++);
    });
    const auto ones = items.on<char>([&](std::span<const char> some) { alone += some.size(); });
    for (int i = 0; i < each; ++i) {
      for (int dest = 0; dest < ranks; ++dest) numbers.send(i, dest);
      ones.send('x', (rank + 1) % ranks);
    }
    items.finish();
    EXPECT_EQ(next, std::vector<int>(static_cast<std::size_t>(ranks), each));
    EXPECT_EQ(alone, std::size_t{each});
    EXPECT_GE(longest, 64U);
  });
}

TEST(pure_hpp_aggregation_delivery, prefetched_asks_for_each_place_once_and_before_its_item) {
  pure::run(2, [](pure::comm world) {
    constexpr std::uint32_t cells = 1000;
    for (const std::uint32_t updates : {1U, 15U, 16U, 17U, 10'000U}) {
      std::vector<std::uint32_t> table(cells);
      std::uint64_t places = 0, handled = 0, from_me = 0;
      pure::aggregation items(world);
      const auto add = items.on<std::uint32_t>(pure::prefetched(
          [&](std::uint32_t cell) {
            ++places;
            EXPECT_LE(places, handled + 1 + 16);
            return &table[cell];
          },
          [&](std::uint32_t cell, pure::sender from) {
            ++handled;
            EXPECT_GE(places, handled);
            from_me += from.rank == world.rank() ? 1 : 0;
            ++table[cell];
          }));
      for (std::uint32_t i = 0; i < updates; ++i) {
        for (int dest = 0; dest < 2; ++dest) add.send(i % cells, dest);
      }
      items.finish();
      EXPECT_EQ(handled, 2U * updates);
      EXPECT_EQ(places, handled);
      EXPECT_EQ(from_me, updates);
      for (std::uint32_t cell = 0; cell < cells; ++cell)
        EXPECT_EQ(table[cell], 2 * (updates / cells + (cell < updates % cells ? 1 : 0)));
    }
  });
}

TEST(pure_hpp_aggregation_delivery, urgent_items_overtake_and_keep_their_order) {
  pure::run(2, [](pure::comm world) {
    static std::atomic<bool> has_begun, all_sent;
    has_begun = all_sent = false;
    world.barrier();
    std::vector<int> order;
    pure::aggregation items(world, {.buffer_bytes = 4 * sizeof(int)});
    const auto channel = items.on<int>([&](int item) {
      if (item == 0) {
        has_begun = true;
        take_long_while_not([] { return all_sent.load(); });
      }
      order.push_back(item);
    });
    if (world.rank() == 0) {
      channel.send(0, 1);
      items.flush();
      take_long_while_not([] { return has_begun.load(); });
      for (int i = 1; i <= 4; ++i) channel.send(i, 1);
      channel.send(-1, 1, pure::urgent);
      channel.send(-2, 1, pure::urgent);
      all_sent = true;
    }
    items.finish();
    if (world.rank() == 1) {
      EXPECT_EQ(order, (std::vector<int>{0, -1, -2, 1, 2, 3, 4}));
    } else {
      EXPECT_EQ(items.stats().urgent, 2U);
    }
  });
}

TEST(pure_hpp_aggregation_delivery, waiting_items_absorb_those_that_combine) {
  in_all_worlds([](pure::comm world) {
    struct part {
      std::uint32_t key;
      std::uint32_t amount;
    };
    std::array<std::uint64_t, 4> sums{};
    std::uint64_t handled = 0;
    pure::aggregation items(world);
    const auto add = items.on<part>(
        [&](const part& each) {
          sums[each.key] += each.amount;
          ++handled;
        },
        [](part& waiting, const part& next) {
          if (waiting.key != next.key) return false;
          waiting.amount += next.amount;
          return true;
        });
    for (std::uint32_t i = 0; i < 4000; ++i) {
      for (int dest = 0; dest < world.size(); ++dest) add.send({i % 4, i}, dest);
    }
    items.finish();
    for (std::uint64_t key = 0; key < 4; ++key)
      EXPECT_EQ(sums[key], static_cast<unsigned>(world.size()) * (key * 1000 + 4 * (999 * 1000 / 2)));
    EXPECT_EQ(handled, 4U * static_cast<unsigned>(world.size())) << "one of each key and rank";
    EXPECT_EQ(items.stats().combined, (4000U - 4) * static_cast<unsigned>(world.size()));
  });
}

TEST(pure_hpp_aggregation_delivery, handlers_run_in_any_wait_of_their_rank) {
  pure::run(2, [](pure::comm world) {
    bool is_handled = false;
    pure::aggregation items(world);
    const auto channel = items.on<int>([&](int) { is_handled = true; });
    if (world.rank() == 0) {
      channel.send(1, 1);
      items.flush(1);
      EXPECT_EQ(world.recv<int>(1), 0);  // rank 1 sends it when it has handled the item
    } else {
      while (!is_handled) static_cast<void>(world.iprobe(0));
      world.send(0, 0);
    }
    items.finish();
    EXPECT_EQ(is_handled, world.rank() == 1);
  });
}

TEST(pure_hpp_aggregation_delivery, handlers_run_in_a_receive_that_waits) {
  pure::run(2, [](pure::comm world) {
    static std::atomic<bool> is_handled;
    is_handled = false;
    world.barrier();
    pure::aggregation items(world);
    const auto channel = items.on<int>([](int) { is_handled = true; });
    if (world.rank() == 0) {
      channel.send(1, 1);
      items.flush(1);
      take_long_while_not([] { return is_handled.load(); });
      world.send(7, 1);
    } else {
      EXPECT_EQ(world.recv<int>(0), 7);
    }
    items.finish();
  });
}

/// Nobody flushes: a rank that goes to sleep does.
TEST(pure_hpp_aggregation_delivery, a_rank_that_sleeps_has_sent_off_what_waited) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    pure::channel<int>* back = nullptr;
    bool has_answer = false, is_asked = false;
    auto channel = items.on<int>([&](int what) {
      (what == 0 ? is_asked : has_answer) = true;
      if (what == 0) back->send(1, 0);
    });
    back = &channel;
    if (world.rank() == 0) {
      channel.send(0, 1);
      EXPECT_EQ(world.recv<int>(1), 0);
    } else {
      while (!is_asked) items.progress();
      world.send(0, 0);
    }
    items.finish();
    EXPECT_EQ(has_answer, world.rank() == 0);
  });
}

TEST(pure_hpp_aggregation_delivery, a_latency_bound_sends_off_what_waits_for_that_long) {
  pure::run(2, [](pure::comm world) {
    static std::atomic<bool> is_handled;
    is_handled = false;
    world.barrier();
    pure::aggregation items(world, {.latency = 1ms});
    const auto channel = items.on<int>([&](int) { is_handled = true; });
    if (world.rank() == 0) {
      const auto sent_at = std::chrono::steady_clock::now();
      channel.send(1, 1);
      while (!is_handled) items.progress();  // sends nothing, flushes nothing
      EXPECT_GE(std::chrono::steady_clock::now() - sent_at, 1ms);
    } else {
      while (!is_handled) items.progress();
    }
    items.finish();
    std::uint64_t timed = 0;
    for (const std::uint64_t each : items.stats().latency) timed += each;
    EXPECT_EQ(timed, world.rank() == 1 ? 1U : 0U);
  });
}

TEST(pure_hpp_aggregation_delivery, buffers_grow_while_they_fill_and_shrink_when_they_do_not) {
  pure::run(2, [](pure::comm world) {
    pure::aggregation items(world);
    const auto channel = items.on<std::uint64_t>([](std::uint64_t) {});
    const int other = 1 - world.rank();
    constexpr std::uint64_t growing = 64 + 128 + 256 + 512;
    for (std::uint64_t i = 0; i < growing; ++i) channel.send(i, other);
    EXPECT_EQ(items.stats().buffers, 4U);
    for (std::uint64_t i = 0; i < 2048; ++i) channel.send(i, other);
    EXPECT_EQ(items.stats().buffers, 6U);
    EXPECT_EQ(items.stats().partial, 0U);
    EXPECT_EQ(items.stats().room, growing + 2048);
    for (int flushes = 0; flushes < 20; ++flushes) {
      channel.send(1, other);
      items.flush();
    }
    const std::uint64_t before = items.stats().buffers;
    for (std::uint64_t i = 0; i < 64; ++i) channel.send(i, other);
    EXPECT_EQ(items.stats().buffers, before + 1) << "of 64 items again";
    items.finish();
  });
}

template <std::size_t Bytes>
struct block {
  std::array<unsigned char, Bytes> bytes;
};

TEST(pure_hpp_aggregation_delivery, two_ranks_that_fill_each_other_do_not_wait_for_ever) {
  pure::run(2, [](pure::comm world) {
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.memory_cap = 36'000});  // two buffers
    const auto channel = items.on<block<1000>>([&](const block<1000>&) { ++handled; });
    for (int i = 0; i < 5000; ++i) channel.send(block<1000>{}, i % 5 == 0 ? world.rank() : 1 - world.rank());
    items.finish();
    EXPECT_EQ(handled, 5000U);
    const pure::aggregation_stats stats = items.stats();
    EXPECT_LE(stats.peak_bytes, 36'000U);
    EXPECT_EQ(stats.over_cap_bytes, 0U);
  });
}

TEST(pure_hpp_aggregation_delivery, what_handlers_send_goes_over_the_cap_and_is_counted) {
  pure::run(3, [](pure::comm world) {
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.buffer_bytes = 8192, .memory_cap = 100'000});
    pure::channel<std::uint64_t>* fan = nullptr;
    auto channel = items.on<std::uint64_t>([&](std::uint64_t left) {
      ++handled;
      for (std::uint64_t i = 0; i < left; ++i) fan->send(0, static_cast<int>(i % 3));
    });
    fan = &channel;
    channel.send(200'000, (world.rank() + 1) % 3);
    items.finish();
    EXPECT_EQ(world.all_reduce(handled, std::plus<>{}), 600'003U);
    const pure::aggregation_stats stats = items.stats();
    EXPECT_EQ(stats.peak_bytes, stats.over_cap_bytes + 100'000);
    EXPECT_GT(stats.over_credit, 0U);
  });
}

TEST(pure_hpp_aggregation_delivery, a_million_items_of_one_handler_under_a_cap_of_a_megabyte) {
  static constexpr std::size_t cap = 1'000'000, fan_out = 1'000'000;
  pure::run(3, [](pure::comm world) {
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.memory_cap = cap});
    pure::channel<std::uint64_t>* fan = nullptr;
    auto channel = items.on<std::uint64_t>([&](std::uint64_t left) {
      ++handled;
      for (std::uint64_t i = 0; i < left; ++i) fan->send(0, static_cast<int>(i % 3));
    });
    fan = &channel;
    if (world.rank() == 0) channel.send(fan_out, 1);
    items.finish();
    EXPECT_EQ(world.all_reduce(handled, std::plus<>{}), fan_out + 1);
    EXPECT_LE(items.stats().peak_bytes, cap + items.stats().over_cap_bytes);
    if (world.rank() != 1) {
      EXPECT_EQ(items.stats().over_cap_bytes, 0U) << "it has sent nothing";
    }
  });
}

TEST(pure_hpp_aggregation_delivery, two_aggregations_and_messages_do_not_disturb_each_other) {
  in_all_worlds([](pure::comm world) {
    std::uint64_t small = 0, large = 0;
    pure::aggregation first(world), second(world, {.buffer_bytes = 256});
    const auto to_first = first.on<std::uint8_t>([&](std::uint8_t item) { small += item; });
    const auto to_second = second.on<std::uint64_t>([&](std::uint64_t item) { large += item; });
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    for (int i = 0; i < 2000; ++i) {
      to_first.send(1, right);
      to_second.send(1'000'000, left);
      if (i % 100 == 0) {
        int got = 0;
        world.sendrecv(i, right, got, left);
        EXPECT_EQ(got, i);
      }
    }
    second.finish();
    EXPECT_EQ(large, 2'000'000'000U);
    first.finish();
    EXPECT_EQ(small, 2000U);
  });
}

}  // namespace
