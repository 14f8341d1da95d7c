// pure::aggregation: what it delivers, in which order, and when a phase ends. Its errors:
// pure_hpp_aggregation_errors_test.cpp; random programs: stress/aggregation_stress_test.cpp.
#include <pure/aggregation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

namespace {

using namespace std::chrono_literals;

/// Runs `body(world)` on 1, 2, 3, 4 and 9 ranks.
template <class Body>
void in_worlds(Body body) {
  for (const int ranks : {1, 2, 3, 4, 9}) pure::run(ranks, [&](pure::comm world) { body(world); });
}

/// In a handler: until the condition holds, as an item that takes long would.
template <class Condition>
void take_long_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

TEST(pure_hpp_aggregation, a_histogram_counts_every_item_once) {
  in_worlds([](pure::comm world) {
    constexpr std::size_t cells = 97, updates = 20'000;
    std::vector<std::uint64_t> table(cells), expected(cells);
    for (int rank = 0; rank < world.size(); ++rank) {  // all ranks' updates, serially
      std::mt19937_64 random(static_cast<unsigned>(rank));
      for (std::size_t i = 0; i < updates; ++i) {
        const auto index = random() % cells;
        if (static_cast<int>(random() % static_cast<unsigned>(world.size())) == world.rank()) ++expected[index];
      }
    }
    pure::aggregation items(world);
    const auto add = items.on<std::uint64_t>([&](std::uint64_t index) { ++table[index]; });
    std::mt19937_64 random(static_cast<unsigned>(world.rank()));
    for (std::size_t i = 0; i < updates; ++i) {
      const auto index = random() % cells;
      add.send(index, static_cast<int>(random() % static_cast<unsigned>(world.size())));
    }
    items.finish();
    EXPECT_EQ(table, expected);
    const pure::aggregation_stats stats = items.stats();
    EXPECT_EQ(stats.sent, updates);
    EXPECT_EQ(stats.phases, 1U);
    const auto handled = world.all_reduce(stats.handled, std::plus<>{});
    EXPECT_EQ(handled, updates * static_cast<unsigned>(world.size()));
  });
}

template <std::size_t Bytes, std::size_t Alignment = 1>
struct alignas(Alignment) sized {
  std::array<unsigned char, Bytes> bytes;
};

template <class Item>
void send_items_of(pure::comm world, std::size_t count) {
  pure::aggregation items(world);
  std::vector<std::size_t> next(static_cast<std::size_t>(world.size()));
  const auto channel = items.on<Item>([&](const Item& item, pure::sender from) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&item) % alignof(Item), 0U);
    const std::size_t number = next[static_cast<std::size_t>(from.rank)]++;
    for (std::size_t i = 0; i < sizeof item.bytes; ++i)
      ASSERT_EQ(item.bytes[i], static_cast<unsigned char>(number * 31 + i + static_cast<std::size_t>(from.rank)));
  });
  for (std::size_t number = 0; number < count; ++number) {
    Item item;
    for (std::size_t i = 0; i < sizeof item.bytes; ++i)
      item.bytes[i] = static_cast<unsigned char>(number * 31 + i + static_cast<std::size_t>(world.rank()));
    for (int dest = 0; dest < world.size(); ++dest) channel.send(item, dest);
  }
  items.finish();
  for (const std::size_t each : next) EXPECT_EQ(each, count);
}

TEST(pure_hpp_aggregation, items_of_all_sizes_arrive_in_the_order_of_their_senders) {
  pure::run(3, [](pure::comm world) {
    send_items_of<sized<1>>(world, 5000);
    send_items_of<sized<3>>(world, 3000);
    send_items_of<sized<8, 8>>(world, 3000);
    send_items_of<sized<24, 8>>(world, 2000);
    send_items_of<sized<64, 64>>(world, 1000);
    send_items_of<sized<192, 64>>(world, 300);
    send_items_of<sized<4096>>(world, 40);
    send_items_of<sized<17344>>(world, 10);
  });
}

TEST(pure_hpp_aggregation, handlers_send_to_the_destination_whose_buffer_has_just_filled) {
  in_worlds([](pure::comm world) {
    struct hop {
      std::uint32_t left;
    };
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.buffer_bytes = 4 * sizeof(hop)});
    pure::channel<hop>* again = nullptr;
    auto channel = items.on<hop>([&](hop item, pure::sender from) {
      ++handled;
      if (item.left == 0) return;
      again->send({item.left - 1}, from.rank);
      again->send({0}, from.rank);
    });
    again = &channel;
    for (int i = 0; i < 100; ++i) {
      for (int dest = 0; dest < world.size(); ++dest) channel.send({10}, dest);
    }
    items.finish();
    // An item with n left makes 2n + 1 of them.
    const auto all = world.all_reduce(handled, std::plus<>{});
    EXPECT_EQ(all, 21U * 100 * static_cast<unsigned>(world.size() * world.size()));
  });
}

TEST(pure_hpp_aggregation, replies_come_back_with_their_tokens) {
  in_worlds([](pure::comm world) {
    constexpr std::uint32_t rows = 50, asked = 4000;
    std::vector<std::int64_t> table(rows), got(asked);
    const auto ranks = static_cast<std::uint32_t>(world.size());
    for (std::uint32_t i = 0; i < rows; ++i)
      table[i] = -static_cast<std::int64_t>(i * ranks + static_cast<std::uint32_t>(world.rank()) + 1);
    pure::aggregation items(world);
    const auto look = items.on_query<std::uint32_t>(
        [&](std::uint32_t row) { return table[row]; },
        [&](std::int64_t value, std::uint64_t token) { got[token] = value; });
    std::mt19937 random(static_cast<unsigned>(world.rank()));
    std::vector<std::uint32_t> wanted(asked);
    for (std::uint32_t i = 0; i < asked; ++i) {
      wanted[i] = static_cast<std::uint32_t>(random()) % (rows * ranks);
      look.ask(wanted[i] / ranks, static_cast<int>(wanted[i] % ranks), i);
    }
    items.finish();
    for (std::uint32_t i = 0; i < asked; ++i) ASSERT_EQ(got[i], -static_cast<std::int64_t>(wanted[i]) - 1);
  });
}

TEST(pure_hpp_aggregation, work_and_items_end_together) {
  in_worlds([](pure::comm world) {
    // A tree of 2^12 nodes, whose children are dealt out: each rank has a queue of its own.
    std::vector<std::uint32_t> queue;
    std::uint64_t visited = 0;
    pure::aggregation items(world, {.buffer_bytes = 64});
    const auto visit = items.on<std::uint32_t>([&](std::uint32_t node) { queue.push_back(node); });
    if (world.rank() == 0) visit.send(1, 0);
    items.finish_with([&] {
      if (queue.empty()) return false;
      const std::uint32_t node = queue.back();
      queue.pop_back();
      ++visited;
      for (const std::uint32_t child : {2 * node, 2 * node + 1}) {
        if (child < 4096) visit.send(child, static_cast<int>(child * 2654435761U >> 8) % world.size());
      }
      return true;
    });
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(world.all_reduce(visited, std::plus<>{}), 4095U);
  });
}

/// Rank 0 has sent items that nobody counts yet when others are quiet: five ranks, as in Shared notes 0.1. Those that
/// publish what they have sent only when they are quiet leave at once.
TEST(pure_hpp_aggregation, finish_waits_for_a_rank_that_is_busy_in_a_handler) {
  pure::run(5, [](pure::comm world) {
    static std::atomic<int> at_one;
    static std::atomic<bool> may_end, three_is_busy, zero_is_busy;
    if (world.rank() == 0) at_one = 0, may_end = false, three_is_busy = false, zero_is_busy = false;
    world.barrier();
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.buffer_bytes = 64 * sizeof(int)});
    pure::channel<int>* to = nullptr;
    auto channel = items.on<int>([&](int what) {
      ++handled;
      if (what == 0 && world.rank() == 1) ++at_one;
      if (what == 1) {
        for (int i = 0; i < 3; ++i) to->send(0, 1);
        items.flush();
        zero_is_busy = true;
        take_long_until([] { return may_end.load(); });
      }
      if (what == 2) {
        to->send(0, 3);
        items.flush();
      }
      if (what == 3) {
        three_is_busy = true;
        take_long_until([] { return may_end.load(); });
      }
    });
    to = &channel;
    if (world.rank() == 4) {
      channel.send(3, 3);
      channel.send(1, 0);
      items.flush();
      take_long_until([] { return three_is_busy && zero_is_busy && at_one == 3; });
      channel.send(2, 2);
      items.flush();
    }
    std::thread ender;
    if (world.rank() == 2) {
      ender = std::thread([] {  // long after the others are quiet
        take_long_until([] { return three_is_busy && zero_is_busy && at_one == 3; });
        std::this_thread::sleep_for(50ms);
        may_end = true;
      });
    }
    items.finish();
    EXPECT_TRUE(may_end) << "rank " << world.rank() << " left early";
    const std::array<std::uint64_t, 5> expected{1, 3, 1, 2, 0};
    EXPECT_EQ(handled, expected[static_cast<std::size_t>(world.rank())]);
    if (ender.joinable()) ender.join();
  });
}

TEST(pure_hpp_aggregation, who_has_left_may_send_in_the_next_phase) {
  in_worlds([](pure::comm world) {
    std::vector<int> handled;
    pure::aggregation items(world, {.buffer_bytes = 64});
    const auto channel = items.on<int>([&](int phase) { handled.push_back(phase); });
    for (int phase = 0; phase < 300; ++phase) {
      items.finish_with([] { return false; });
      EXPECT_TRUE(std::all_of(handled.begin(), handled.end(), [&](int each) { return each <= phase; }));
      channel.send(phase + 1, (world.rank() + 1) % world.size());
      items.flush();
      if (phase % 3 == 0) world.barrier();  // with items of the next phase under way to ranks that leave late
    }
    items.finish();
    ASSERT_EQ(handled.size(), 300U);
    for (int i = 0; i < 300; ++i) EXPECT_EQ(handled[static_cast<std::size_t>(i)], i + 1);
  });
}

TEST(pure_hpp_aggregation, urgent_items_overtake_and_keep_their_order) {
  pure::run(2, [](pure::comm world) {
    static std::atomic<bool> all_sent;
    all_sent = false;
    world.barrier();
    std::vector<int> order;
    pure::aggregation items(world, {.buffer_bytes = 4 * sizeof(int)});
    const auto channel = items.on<int>([&](int item) {
      if (item == 0) take_long_until([] { return all_sent.load(); });
      order.push_back(item);
    });
    if (world.rank() == 0) {
      channel.send(0, 1);
      items.flush();
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

TEST(pure_hpp_aggregation, waiting_items_absorb_those_that_combine) {
  in_worlds([](pure::comm world) {
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

TEST(pure_hpp_aggregation, handlers_run_in_any_wait_of_their_rank) {
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

/// Nobody flushes: a rank that goes to sleep does.
TEST(pure_hpp_aggregation, a_rank_that_sleeps_has_sent_off_what_waited) {
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

TEST(pure_hpp_aggregation, a_latency_bound_sends_off_what_waits_for_that_long) {
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

TEST(pure_hpp_aggregation, buffers_grow_while_they_fill_and_shrink_when_they_do_not) {
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

TEST(pure_hpp_aggregation, two_ranks_that_fill_each_other_do_not_wait_for_ever) {
  pure::run(2, [](pure::comm world) {
    std::uint64_t handled = 0;
    pure::aggregation items(world, {.memory_cap = 36'000});  // two buffers
    const auto channel = items.on<sized<1000>>([&](const sized<1000>&) { ++handled; });
    for (int i = 0; i < 5000; ++i) channel.send(sized<1000>{}, i % 5 == 0 ? world.rank() : 1 - world.rank());
    items.finish();
    EXPECT_EQ(handled, 5000U);
    const pure::aggregation_stats stats = items.stats();
    EXPECT_LE(stats.peak_bytes, 36'000U);
    EXPECT_EQ(stats.over_cap_bytes, 0U);
  });
}

TEST(pure_hpp_aggregation, what_handlers_send_goes_over_the_cap_and_is_counted) {
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

TEST(pure_hpp_aggregation, two_aggregations_and_messages_do_not_disturb_each_other) {
  in_worlds([](pure::comm world) {
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
