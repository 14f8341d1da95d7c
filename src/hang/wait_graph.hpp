// Who waits for whom: an edge from each rank that waits to the rank that can end its wait, or to each of those that
// hold what it waits for. Pure functions of what look_at_ranks() has seen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hang/rank_state.hpp"

namespace pure::core {

/// The ranks that no other rank can ever free, ascending: each sleeps in a wait that only one rank can end, which is
/// one of them, or has finished and sleeps too (then it is in the list as well). Empty if there is no such wait.
///
/// All of them slept at one moment (rank_state::rests), so it lasts: the first of them to move would have to be woken
/// for what it waits for by another of them, and services that act for others are not pending.
std::vector<int> stuck_for_ever(std::span<const rank_state> ranks);

struct wait_graph {
  struct edge {
    int waiting, finished;
    std::string held_by;  // the call by which `finished` holds what `waiting` waits for; empty: it holds nothing
  };
  std::vector<std::vector<int>> cycles;  // in the order of waiting, from the lowest rank
  std::vector<edge> on_finished;         // waits for ranks whose main has returned
};

/// What explains a hang, by any wait that names a rank: a cycle at least of all those that go through the same ranks.
/// Ranks in `of` only, and whom they wait for, if it is not empty.
wait_graph explain(std::span<const rank_state> ranks, std::span<const int> of = {});

/// "rank 0 waits for 1 waits for 0".
std::string text_of(const std::vector<int>& cycle);

}  // namespace pure::core
