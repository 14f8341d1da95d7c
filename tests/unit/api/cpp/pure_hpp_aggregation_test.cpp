// pure::aggregation: what it delivers, in which order, and when a phase ends. See also
// pure_hpp_aggregation_delivery_test.cpp, pure_hpp_aggregation_errors_test.cpp; random programs:
// stress/aggregation_stress_test.cpp.
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
    send_items_of<sized<17334>>(world, 10);
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

}  // namespace
