// Modelled by tests/model/hang_coordinator.pml, stuck.pml.
#include "hang/wait_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace pure::core {

namespace {

using doing = rank_state::doing;

std::size_t index_of(int rank) noexcept { return static_cast<std::size_t>(rank); }

/// The rank that this one waits for, or -1.
int awaited(std::span<const rank_state> ranks, int rank) noexcept {
  const rank_state& state = ranks[index_of(rank)];
  const bool is_rank = state.wait.peer >= 0 && index_of(state.wait.peer) < ranks.size();
  return state.now == doing::waiting && is_rank ? state.wait.peer : -1;
}

}  // namespace

std::vector<int> stuck_for_ever(std::span<const rank_state> ranks) {
  const int count = static_cast<int>(ranks.size());
  // The largest set that is closed: begin with all who may belong to it, and take out who waits for one outside.
  std::vector<bool> stuck(ranks.size());
  for (int rank = 0; rank < count; ++rank) {
    const rank_state& state = ranks[index_of(rank)];
    stuck[index_of(rank)] = state.rests &&
                         (state.now == doing::finished || (state.wait.only_peer && awaited(ranks, rank) >= 0));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int rank = 0; rank < count; ++rank) {
      if (!stuck[index_of(rank)] || ranks[index_of(rank)].now == doing::finished) continue;
      if (stuck[index_of(awaited(ranks, rank))]) continue;
      stuck[index_of(rank)] = false;
      changed = true;
    }
  }
  std::vector<bool> concerned(ranks.size());  // those who wait, and whom they wait for
  for (int rank = 0; rank < count; ++rank) {
    if (!stuck[index_of(rank)] || ranks[index_of(rank)].now == doing::finished) continue;
    concerned[index_of(rank)] = true;
    concerned[index_of(awaited(ranks, rank))] = true;
  }
  std::vector<int> list;
  for (int rank = 0; rank < count; ++rank) {
    if (concerned[index_of(rank)]) list.push_back(rank);
  }
  return list;
}

wait_graph explain(std::span<const rank_state> ranks, std::span<const int> of) {
  const int count = static_cast<int>(ranks.size());
  const auto is_asked_for = [&](int rank) { return of.empty() || std::find(of.begin(), of.end(), rank) != of.end(); };
  wait_graph graph;
  std::vector<int> reached_from(ranks.size(), -1);  // the rank from which the walk below came by
  for (int start = 0; start < count; ++start) {
    if (!is_asked_for(start)) continue;
    const int first = awaited(ranks, start);
    if (first >= 0 && ranks[index_of(first)].now == doing::finished) graph.on_finished.push_back({start, first});
    int at = start;
    while (at >= 0 && reached_from[index_of(at)] < 0) {
      reached_from[index_of(at)] = start;
      at = awaited(ranks, at);
    }
    if (at < 0 || reached_from[index_of(at)] != start) continue;  // an end, or where an earlier walk has been
    std::vector<int> cycle;
    int next = at;
    do {
      cycle.push_back(next);
      next = awaited(ranks, next);
    } while (next != at);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    graph.cycles.push_back(cycle);
  }
  return graph;
}

std::string text_of(const std::vector<int>& cycle) {
  std::string text = fmt::format("rank {}", cycle.front());
  for (std::size_t i = 1; i <= cycle.size(); ++i) text += fmt::format(" waits for {}", cycle[i % cycle.size()]);
  return text;
}

}  // namespace pure::core
