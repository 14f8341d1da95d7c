// Routes over other processes: that they lead there, that nobody waits in a circle, and what arrives over them.
#include "aggregation/item_routes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "support/simulated_processes.hpp"

namespace {

using pure::core::item_hops;
using pure::core::item_routes;
using test_support::simulated_processes;

std::vector<item_routes> routes_of_all(item_hops how, const std::vector<int>& machines) {
  std::vector<item_routes> all;
  for (std::size_t process = 0; process < machines.size(); ++process)
    all.emplace_back(how, static_cast<int>(process), machines);
  return all;
}

/// In blocks, and as they come.
std::vector<std::vector<int>> some_machines(int processes) {
  std::vector<std::vector<int>> all(3);
  std::mt19937 random(static_cast<unsigned>(processes));
  for (int process = 0; process < processes; ++process) {
    all[0].push_back(process / 4);
    all[1].push_back(static_cast<int>(random() % 3));
    all[2].push_back(0);
  }
  return all;
}

TEST(aggregation_routes, lead_to_every_process_in_few_hops) {
  for (int processes = 1; processes <= 40; ++processes) {
    for (const std::vector<int>& machines : some_machines(processes)) {
      for (const item_hops how : {item_hops::direct, item_hops::machine, item_hops::grid}) {
        const std::vector<item_routes> all = routes_of_all(how, machines);
        const int most = how == item_hops::direct ? 1 : how == item_hops::grid ? 2 : 3;
        for (int from = 0; from < processes; ++from) {
          for (int to = 0; to < processes; ++to) {
            int at = from, before = from;
            for (int hop = 0; at != to; ++hop) {
              ASSERT_LT(hop, most) << processes << ": " << from << " to " << to;
              const int next = all[static_cast<std::size_t>(at)].next(to);
              ASSERT_NE(next, at);
              const bool is_waited_for = all[static_cast<std::size_t>(at)].may_pass_on(before, next);
              EXPECT_TRUE(hop == 0 || is_waited_for);
              before = std::exchange(at, next);
            }
          }
        }
      }
    }
  }
}

TEST(aggregation_routes, nobody_waits_in_a_circle) {
  // A full way from p to w waits until w acknowledges, which it does not while a way is full to which it passes on what
  // comes from p.
  for (int processes = 2; processes <= 20; ++processes) {
    for (const std::vector<int>& machines : some_machines(processes)) {
      for (const item_hops how : {item_hops::machine, item_hops::grid}) {
        const std::vector<item_routes> all = routes_of_all(how, machines);
        enum class mark { fresh, under_way, done };
        std::map<std::pair<int, int>, mark> ways;
        const std::function<bool(int, int)> has_circle = [&](int p, int w) {
          mark& its = ways[{p, w}];
          if (its != mark::fresh) return its == mark::under_way;
          its = mark::under_way;
          for (int x = 0; x < processes; ++x) {
            if (x != w && all[static_cast<std::size_t>(w)].may_pass_on(p, x) && has_circle(w, x)) return true;
          }
          ways[{p, w}] = mark::done;
          return false;
        };
        for (int p = 0; p < processes; ++p) {
          for (int w = 0; w < processes; ++w) ASSERT_FALSE(p != w && has_circle(p, w)) << p << " to " << w;
        }
      }
    }
  }
}

TEST(aggregation_routes, are_chosen_by_the_number_of_processes_and_machines) {
  const auto chosen = [](int processes, int of_machine) {
    std::vector<int> machines;
    for (int process = 0; process < processes; ++process) machines.push_back(process / of_machine);
    return item_routes(item_hops::automatic, 0, machines).how();
  };
  EXPECT_EQ(chosen(64, 8), item_hops::direct);
  EXPECT_EQ(chosen(72, 8), item_hops::machine);
  EXPECT_EQ(chosen(65, 1), item_hops::grid);
  EXPECT_EQ(chosen(65, 65), item_hops::grid);
  EXPECT_EQ(item_routes(item_hops::grid, 5, std::vector<int>(100)).next_processes(), 18U);
  EXPECT_EQ(item_routes(item_hops::direct, 5, std::vector<int>(100)).next_processes(), 99U);
}

/// Numbered items to all ranks, by many and by few, over a transport that refuses; handlers answer.
void exchange(item_hops hops, pure::core::item_scheme scheme, int processes, int each, std::size_t buffer_bytes) {
  struct numbered {
    std::int32_t source;
    std::uint32_t number;
  };
  constexpr std::uint32_t numbers = 200;
  simulated_processes simulated(processes, each,
                                {.buffer_bytes = buffer_bytes, .scheme = scheme, .hops = hops, .name = "routed"}, 20);
  simulated.run([&](pure::core::aggregation& items) {
    const auto ranks = static_cast<std::uint32_t>(items.size());
    std::vector<std::uint32_t> next(ranks);
    std::uint32_t answers = 0;
    pure::core::item_channel* back = nullptr;
    auto check = [&](const numbered& item, int source) {
      EXPECT_EQ(item.source, source);
      EXPECT_EQ(item.number, next[static_cast<std::size_t>(source)]++);
      test_support::send(*back, item.number, source);
    };
    auto count = [&](std::uint32_t, int) { ++answers; };
    pure::core::item_channel& channel = test_support::make_channel<numbered>(items, check);
    back = &test_support::make_channel<std::uint32_t>(items, count);
    for (std::uint32_t phase = 1; phase <= 2; ++phase) {
      for (std::uint32_t number = (phase - 1) * numbers; number < phase * numbers; ++number) {
        for (int dest = 0; dest < items.size(); ++dest)
          test_support::send(channel, numbered{items.rank(), number}, dest);
        if (number % 50 == 0) items.flush({"flush", {}});
      }
      items.finish({"finish", {}}, nullptr, nullptr);
      EXPECT_EQ(next, std::vector<std::uint32_t>(ranks, phase * numbers));
      EXPECT_EQ(answers, phase * numbers * ranks);
    }
  });
}

TEST(aggregation_routes, items_of_a_source_arrive_once_and_in_order) {
  using pure::core::item_scheme;
  for (const item_hops hops : {item_hops::machine, item_hops::grid}) {
    for (const item_scheme scheme :
         {item_scheme::ww, item_scheme::wps, item_scheme::wsp, item_scheme::pp, item_scheme::automatic}) {
      exchange(hops, scheme, 5, 2, 0);
      exchange(hops, scheme, 9, 1, 120);
    }
  }
}

TEST(aggregation_routes, over_a_grid_a_rank_fills_few_packets) {
  for (const auto& [hops, most] : {std::pair{item_hops::direct, 15U}, {item_hops::grid, 6U}}) {
    simulated_processes simulated(16, 1, {.scheme = pure::core::item_scheme::wps, .hops = hops, .name = "few"});
    simulated.run([&, most = most](pure::core::aggregation& items) {
      auto nothing = [](char, int) {};
      pure::core::item_channel& channel = test_support::make_channel<char>(items, nothing);
      for (int dest = 0; dest < items.size(); ++dest) test_support::send(channel, 'x', dest);
      items.finish({"finish", {}}, nullptr, nullptr);
      EXPECT_EQ(items.stats({"stats", {}}).buffers, most + 1) << "and one for itself";
    });
  }
}

}  // namespace
