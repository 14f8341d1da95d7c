// Schemes between processes: what arrives, in which order, in how many packets; and phases that end over processes.
#include "aggregation/aggregation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "support/simulated_processes.hpp"

namespace {

using namespace pure::core;
using test_support::make_channel;
using test_support::simulated_processes;

constexpr std::array all_schemes{item_scheme::ww, item_scheme::wps, item_scheme::wsp, item_scheme::pp};
constexpr std::array schemes_and_automatic{item_scheme::ww, item_scheme::wps, item_scheme::wsp, item_scheme::pp,
                                           item_scheme::automatic};
constexpr call finishing{"finish", {}};

std::uint64_t whole_buffers(std::uint64_t items, std::uint64_t capacity) { return (items + capacity - 1) / capacity; }

/// Items for each rank of other processes, by rank that sends them: serial, so that packets can be counted.
struct traffic {
  static constexpr std::size_t z = 3000;

  static std::vector<int> destinations_of(int rank, int ranks, int processes) {
    std::vector<int> destinations;
    std::mt19937 random(static_cast<unsigned>(rank) * 7919 + 1);
    while (destinations.size() < z) {
      const int dest = static_cast<int>(random() % static_cast<unsigned>(ranks));
      if (dest % processes != rank % processes) destinations.push_back(dest);  // as simulated_processes places them
    }
    return destinations;
  }
};

/// The messages of the paper's section III-C: each buffer fills before it leaves, but for the last one.
std::uint64_t expected_packets(item_scheme scheme, int processes, int each, std::uint64_t g) {
  std::map<std::pair<int, int>, std::uint64_t> items;  // by who shares a buffer, and for whom it is
  for (int rank = 0; rank < processes * each; ++rank) {
    for (const int dest : traffic::destinations_of(rank, processes * each, processes)) {
      const int from = scheme == item_scheme::pp ? rank % processes : rank;
      const int to = scheme == item_scheme::ww ? dest : dest % processes;
      ++items[{from, to}];
    }
  }
  std::uint64_t packets = 0;
  for (const auto& [pair, count] : items) packets += whole_buffers(count, g);
  return packets;
}

TEST(aggregation_schemes, packets_are_as_many_as_the_paper_says) {
  constexpr std::uint64_t g = 64;
  constexpr double z = traffic::z;
  for (const std::pair<int, int>& shape : {std::pair{2, 1}, {2, 3}, {3, 2}, {4, 4}}) {
    const int processes = shape.first, each = shape.second;
    const double ranks = processes * each;
    for (const item_scheme scheme : all_schemes) {
      simulated_processes simulated(processes, each, {.buffer_bytes = g * 8, .scheme = scheme, .name = "counted"});
      std::atomic<std::uint64_t> handled{0};
      simulated.run([&](aggregation& items) {
        auto count = [&](std::uint64_t, int) { ++handled; };
        item_channel& channel = make_channel<std::uint64_t>(items, count);
        for (const int dest : traffic::destinations_of(items.rank(), items.size(), processes))
          test_support::send(channel, std::uint64_t{1}, dest);
        items.finish(finishing, nullptr, nullptr);
      });
      EXPECT_EQ(handled, traffic::z * static_cast<std::uint64_t>(processes * each));
      std::uint64_t packets = 0;
      for (int process = 0; process < processes; ++process) packets += simulated.part(process).outgoing().packets();
      EXPECT_EQ(packets, expected_packets(scheme, processes, each, g));
      const double bound = scheme == item_scheme::ww   ? ranks * (z / g + processes * each)
                           : scheme == item_scheme::pp ? processes * (z * each / g + processes)
                                                       : ranks * (z / g + processes);
      EXPECT_LE(static_cast<double>(packets), bound);
    }
  }
}

/// Items to all ranks, with numbers by source and destination, over a transport that refuses.
TEST(aggregation_schemes, items_of_a_source_arrive_in_order) {
  struct numbered {
    std::int32_t source;
    std::uint32_t number;
  };
  for (const item_scheme scheme : schemes_and_automatic) {
    for (const std::size_t buffer_bytes : {std::size_t{0}, std::size_t{40}}) {
      simulated_processes simulated(3, 2, {.buffer_bytes = buffer_bytes, .scheme = scheme, .name = "ordered"}, 30);
      simulated.run([&](aggregation& items) {
        std::vector<std::uint32_t> next(static_cast<std::size_t>(items.size()));
        auto check = [&](const numbered& item, int source) {
          EXPECT_EQ(item.source, source);
          EXPECT_EQ(item.number, next[static_cast<std::size_t>(source)]++);
        };
        item_channel& channel = make_channel<numbered>(items, check);
        std::mt19937 random(static_cast<unsigned>(items.rank()));
        for (std::uint32_t number = 0; number < 1000; ++number) {
          for (int dest = 0; dest < items.size(); ++dest)
            test_support::send(channel, numbered{items.rank(), number}, dest);
          if (random() % 64 < number % 128 / 32) items.flush({"flush", {}});  // more and less often: automatic changes
        }
        items.finish(finishing, nullptr, nullptr);
        for (const std::uint32_t each : next) EXPECT_EQ(each, 1000U);
      });
    }
  }
}

TEST(aggregation_schemes, phases_end_when_all_that_handlers_have_sent_is_handled) {
  struct hop {
    std::uint32_t left;
    std::uint32_t phase;
  };
  constexpr std::uint32_t phases = 12;
  for (const item_scheme scheme : schemes_and_automatic) {
    for (const int processes : {1, 2, 3, 5}) {
      simulated_processes simulated(processes, 2, {.buffer_bytes = 48, .scheme = scheme, .name = "hops"}, 20);
      std::array<std::atomic<std::uint64_t>, phases> made{}, done{};
      simulated.run([&](aggregation& items) {
        std::mt19937 random(static_cast<unsigned>(items.rank()));
        item_channel* again = nullptr;
        const auto send = [&](const hop& item) {
          ++made[item.phase];
          test_support::send(*again, item, static_cast<int>(random() % static_cast<unsigned>(items.size())));
        };
        auto handle = [&](const hop& item, int) {
          for (std::uint32_t i = 0; item.left > 0 && i < 1 + random() % 2; ++i) send({item.left - 1, item.phase});
          ++done[item.phase];
        };
        again = &make_channel<hop>(items, handle);
        for (std::uint32_t phase = 0; phase < phases; ++phase) {
          if (random() % 3 != 0) send({6, phase});
          items.finish(finishing, nullptr, nullptr);
          EXPECT_EQ(made[phase], done[phase]) << "a rank has left early";
        }
      });
    }
  }
}

TEST(aggregation_schemes, what_a_process_has_left_is_pushed_when_its_ranks_are_quiet) {
  // Scheme pp: a rank that is busy does not keep others' items for ever, once it is quiet.
  simulated_processes simulated(2, 3, {.scheme = item_scheme::pp, .name = "rest"});
  std::atomic<int> handled{0};
  simulated.run([&](aggregation& items) {
    auto count = [&](std::uint16_t, int) { ++handled; };
    item_channel& channel = make_channel<std::uint16_t>(items, count);
    test_support::send(channel, std::uint16_t{1}, (items.rank() + 1) % items.size());
    items.finish(finishing, nullptr, nullptr);
    EXPECT_EQ(handled, 6);
  });
  EXPECT_EQ(simulated.part(0).outgoing().packets() + simulated.part(1).outgoing().packets(), 2U)
      << "one for all ranks of a process";
}

TEST(aggregation_schemes, automatic_fills_packets_together_while_ranks_do_not_fill_them_alone) {
  using kind = packet_kind;
  constexpr std::size_t g = 100;  // which chunks of 32 do not fill
  for (const int each : {1, 2}) {
    simulated_processes simulated(2, each, {.buffer_bytes = g * 8, .name = "chosen"});
    const int ranks = 2 * each;
    std::barrier all_have_looked(ranks);
    simulated.run([&](aggregation& items) {
      std::uint64_t expected = 0;
      auto in_order = [&](std::uint64_t number, int) { EXPECT_EQ(number, expected++); };
      item_channel& channel = make_channel<std::uint64_t>(items, in_order);
      std::uint64_t next = 0;
      const auto send_and_finish = [&](std::uint64_t count) {
        for (const std::uint64_t end = next + count; next < end; ++next)
          test_support::send(channel, next, items.rank() ^ 1);  // in the other process
        all_have_looked.arrive_and_wait();
        items.finish(finishing, nullptr, nullptr);
      };
      for (int phase = 0; phase < 2; ++phase) send_and_finish(10);
      EXPECT_EQ(simulated.packets(kind::wps), 2 * ranks) << "each rank its own, as it begins";
      EXPECT_EQ(simulated.packets(kind::pp), 0);
      for (int phase = 0; phase < 4; ++phase) send_and_finish(10);
      if (each == 1) {
        EXPECT_EQ(simulated.packets(kind::wps), 6 * ranks) << "there is nobody to share with";
      } else {
        EXPECT_EQ(simulated.packets(kind::wps), 2 * ranks);
        EXPECT_GE(simulated.packets(kind::pp), 4 * 2) << "at least one of each process in each phase";
      }
      const int before = simulated.packets(kind::wps);
      all_have_looked.arrive_and_wait();
      // Seven chunks are more than two packets: from then on alone, in five packets and the rest.
      send_and_finish(7 * 32 + 5 * g + 52);
      EXPECT_EQ(simulated.packets(kind::wps) - before, ranks * (each == 1 ? 8 : 6));
      EXPECT_EQ(expected, next);
    });
  }
}

TEST(aggregation_schemes, automatic_begins_together_where_own_packets_would_take_half_of_the_memory) {
  for (const std::size_t cap : {std::size_t{1} << 20, std::size_t{68'000}}) {
    simulated_processes simulated(3, 2, {.memory_cap = cap, .name = "small"});
    simulated.run([&](aggregation& items) {
      auto nothing = [](std::uint64_t, int) {};
      item_channel& channel = make_channel<std::uint64_t>(items, nothing);
      test_support::send(channel, std::uint64_t{1}, (items.rank() + 1) % items.size());
      items.finish(finishing, nullptr, nullptr);
    });
    EXPECT_EQ(simulated.packets(packet_kind::pp) > 0, cap == 68'000);
  }
}

TEST(aggregation_schemes, a_process_that_takes_nothing_keeps_nobody_from_sending_to_another_one) {
  simulated_processes simulated(3, 1, {.scheme = item_scheme::wps, .name = "ways"});
  std::atomic<bool> has_come{false};
  simulated.run([&](aggregation& items) {
    auto note = [&](char, int) { has_come = has_come || items.rank() == 2; };
    item_channel& channel = make_channel<char>(items, note);
    if (items.rank() == 0) {
      simulated.refuse(1, true);
      for (const int dest : {1, 2}) {
        test_support::send(channel, 'x', dest);
        items.flush({"flush", {}}, dest);
      }
      EXPECT_EQ(simulated.part(0).outgoing().waiting(1), 2U);
    }
    while (!has_come && items.rank() != 1) items.progress({"progress", {}});
    if (items.rank() == 0) simulated.refuse(1, false);
    items.finish(finishing, nullptr, nullptr);
  });
}

TEST(aggregation_schemes, what_handlers_send_to_other_processes_counts_for_the_memory_cap) {
  constexpr std::size_t cap = 100'000, items_of_handler = 100'000;
  for (const item_scheme scheme : schemes_and_automatic) {
    simulated_processes simulated(2, 1, {.memory_cap = cap, .scheme = scheme, .name = "capped"});
    std::atomic<bool> is_refused{true}, is_full{false};
    simulated.run([&](aggregation& items) {
      item_channel* channel = nullptr;
      auto flood = [&](std::uint64_t number, int) {
        for (std::size_t i = 0; number == 1 && i < items_of_handler; ++i)
          test_support::send(*channel, std::uint64_t{0}, 1);
      };
      channel = &make_channel<std::uint64_t>(items, flood);
      if (items.rank() == 0) {
        simulated.refuse(1, true);
        test_support::send(*channel, std::uint64_t{1}, 0);
        items.flush({"flush", {}});
        while (items.stats({"stats", {}}).handled == 0) items.progress({"progress", {}});
        const pure::aggregation_stats stats = items.stats({"stats", {}});
        EXPECT_GE(stats.over_cap_bytes, items_of_handler * 8 - 20'000 - cap);  // but for those that are open
        EXPECT_EQ(stats.over_cap_bytes, stats.peak_bytes - cap);
        is_full = true;
        for (int i = 0; i < 5000; ++i) test_support::send(*channel, std::uint64_t{0}, 1);
        EXPECT_FALSE(is_refused) << "a send at the cap waits";
      } else {
        while (!is_full) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a send that does not wait would be through
        is_refused = false;
        simulated.refuse(1, false);
      }
      items.finish(finishing, nullptr, nullptr);
    });
  }
}

}  // namespace
