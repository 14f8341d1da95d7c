// Who is stuck for ever, and why: against cases by hand, and against a search over all sets of ranks.
#include "hang/wait_graph.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "support/environment.hpp"

namespace pure::core {
namespace {

using doing = rank_state::doing;
using ranks = std::vector<int>;

rank_state computing() { return {}; }
rank_state waiting(int peer, bool only_peer = true) {
  rank_state state;
  state.now = doing::waiting;
  state.rests = true;
  state.sleep = 6;
  state.wait.peer = peer;
  state.wait.only_peer = only_peer;
  return state;
}
rank_state finished() {
  rank_state state;
  state.now = doing::finished;
  state.rests = true;
  return state;
}
rank_state busy(rank_state state) {  // awake, or with operations pending that others wait for
  state.rests = false;
  return state;
}

using states = std::vector<rank_state>;

TEST(stuck_for_ever, is_nobody_while_the_awaited_compute) {
  EXPECT_EQ(stuck_for_ever(states{}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{computing(), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(2), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{finished(), finished(), computing()}), ranks{});
}

TEST(stuck_for_ever, is_who_waits_for_itself_a_cycle_or_a_finished_one) {
  EXPECT_EQ(stuck_for_ever(states{waiting(0), computing()}), (ranks{0}));
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(0), computing()}), (ranks{0, 1}));
  EXPECT_EQ(stuck_for_ever(states{computing(), waiting(2), waiting(3), waiting(1)}), (ranks{1, 2, 3}));
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(0), waiting(1), waiting(2), computing()}), (ranks{0, 1, 2, 3}));
  EXPECT_EQ(stuck_for_ever(states{waiting(1), finished(), computing(), finished()}), (ranks{0, 1}));
}

TEST(stuck_for_ever, is_nobody_whom_a_third_one_may_free) {
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(0, false), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(wait_reason::anybody), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), waiting(wait_reason::nobody), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), busy(waiting(0)), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(1), busy(finished()), computing()}), ranks{});
  EXPECT_EQ(stuck_for_ever(states{waiting(7), computing()}), ranks{}) << "no such rank";
}

/// The union of all sets that are closed: whoever waits in them waits for one of them, in a wait that only it can end.
ranks by_search(const states& all) {
  ranks stuck;
  unsigned found = 0;
  for (unsigned set = 1; set < 1U << all.size(); ++set) {
    bool closed = true;
    for (std::size_t i = 0; i < all.size() && closed; ++i) {
      if ((set >> i & 1) == 0) continue;
      const bool waits = all[i].now == doing::waiting && all[i].wait.only_peer && all[i].wait.peer >= 0 &&
                         (set >> all[i].wait.peer & 1) != 0;
      closed = all[i].rests && (waits || all[i].now == doing::finished);
    }
    if (closed) found |= set;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool concerned = all[i].now == doing::waiting;
    for (std::size_t k = 0; k < all.size(); ++k) {
      concerned |= (found >> k & 1) != 0 && all[k].now == doing::waiting && all[k].wait.peer == static_cast<int>(i);
    }
    if (concerned && (found >> i & 1) != 0) stuck.push_back(static_cast<int>(i));
  }
  return stuck;
}

TEST(stuck_for_ever, agrees_with_a_search_over_all_sets) {
  std::mt19937_64 random(test_support::first_seed());
  int with_some = 0;
  for (int round = 0; round < 3000; ++round) {
    const int count = 1 + static_cast<int>(random() % 7);
    states all;
    for (int i = 0; i < count; ++i) {
      const auto kind = random() % 12;
      rank_state state = kind == 0   ? computing()
                         : kind == 1 ? finished()
                                     : waiting(static_cast<int>(random() % static_cast<unsigned>(count)), kind != 2);
      all.push_back(kind == 3 ? busy(state) : state);
    }
    ASSERT_EQ(stuck_for_ever(all), by_search(all)) << "round " << round;
    with_some += stuck_for_ever(all).empty() ? 0 : 1;
  }
  EXPECT_GT(with_some, 300);
}

TEST(explanation, names_each_cycle_once_from_its_lowest_rank) {
  const wait_graph graph = explain(states{waiting(2), waiting(1), waiting(3), waiting(0), waiting(3), computing()});
  ASSERT_EQ(graph.cycles.size(), 2U);
  EXPECT_EQ(graph.cycles[0], (ranks{0, 2, 3}));
  EXPECT_EQ(graph.cycles[1], (ranks{1}));
  EXPECT_TRUE(graph.on_finished.empty());
  EXPECT_EQ(text_of(graph.cycles[0]), "rank 0 waits for 2 waits for 3 waits for 0");
  EXPECT_EQ(text_of(graph.cycles[1]), "rank 1 waits for 1");
}

TEST(explanation, finds_a_cycle_behind_a_chain) {
  const wait_graph graph = explain(states{waiting(1), waiting(2), waiting(1)});
  ASSERT_EQ(graph.cycles.size(), 1U);
  EXPECT_EQ(graph.cycles[0], (ranks{1, 2}));
}

TEST(explanation, names_waits_for_those_who_have_finished) {
  const wait_graph graph = explain(states{waiting(2), waiting(0), finished(), waiting(2, false)});
  EXPECT_TRUE(graph.cycles.empty());
  ASSERT_EQ(graph.on_finished.size(), 2U);
  EXPECT_EQ(graph.on_finished[0].waiting, 0);
  EXPECT_EQ(graph.on_finished[0].finished, 2);
  EXPECT_EQ(graph.on_finished[1].waiting, 3);
}

/// For something that is at `peer`, and that `holders` hold.
rank_state waiting_at(int peer, std::vector<holder> holders) {
  rank_state state = waiting(peer, false);
  state.waits_for_holders = true;
  state.holders = std::move(holders);
  return state;
}

TEST(explanation, goes_from_who_waits_for_a_lock_to_its_holders) {
  const wait_graph graph = explain(
      states{waiting_at(0, {{1, "lock at a.cpp:1"}}), waiting_at(2, {{0, "lock at a.cpp:2"}}), finished()});
  ASSERT_EQ(graph.cycles, (std::vector<ranks>{{0, 1}}));
  EXPECT_TRUE(graph.on_finished.empty()) << "rank 2 holds nothing";
}

TEST(explanation, finds_a_cycle_through_any_of_several_holders) {
  // 3 shares it with 1, who will go on; 0 and 3 wait for each other. 2 is where the locks are, and computes.
  const wait_graph graph = explain(states{waiting_at(2, {{1, "x"}, {3, "y"}}), computing(), computing(), waiting(0)});
  EXPECT_EQ(graph.cycles, (std::vector<ranks>{{0, 3}}));
}

TEST(explanation, names_a_holder_that_has_finished_with_its_call) {
  const wait_graph graph = explain(states{waiting_at(2, {{1, "lock at a.cpp:7"}}), finished(), finished()});
  ASSERT_EQ(graph.on_finished.size(), 1U);
  EXPECT_EQ(graph.on_finished[0].finished, 1);
  EXPECT_EQ(graph.on_finished[0].held_by, "lock at a.cpp:7");
  EXPECT_TRUE(explain(states{waiting_at(1, {}), finished()}).on_finished.empty()) << "nobody knows who holds it";
}

TEST(explanation, passes_over_holders_that_are_no_ranks) {
  const wait_graph graph = explain(states{waiting_at(0, {{-1, ""}, {2, ""}}), computing()});
  EXPECT_TRUE(graph.cycles.empty());
  EXPECT_TRUE(graph.on_finished.empty());
}

TEST(explanation, is_of_the_ranks_asked_for) {
  const states all{waiting(1), waiting(0), waiting(3, false), waiting(2, false)};
  EXPECT_EQ(explain(all).cycles.size(), 2U);
  EXPECT_EQ(explain(all, ranks{0, 1}).cycles.size(), 1U);
}

}  // namespace
}  // namespace pure::core
