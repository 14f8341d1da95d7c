// Modelled by tests/model/hang_coordinator.pml, stuck.pml.
#include "hang/wait_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

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

namespace {

/// The edges from a rank: to those that hold what it waits for, or else to the one that it waits for.
std::vector<holder> edges_from(std::span<const rank_state> ranks, int rank) {
  const rank_state& state = ranks[index_of(rank)];
  if (state.now != doing::waiting) return {};
  if (state.waits_for_holders) return state.holders;
  const int peer = awaited(ranks, rank);
  return peer >= 0 ? std::vector<holder>{{peer, ""}} : std::vector<holder>{};
}

/// Goes along the edges, depth first.
class cycle_search {
 public:
  cycle_search(std::span<const rank_state> ranks, wait_graph& into) : ranks_(ranks), seen_(ranks.size()), into_(into) {}

  void go_from(int start) {
    if (seen_[index_of(start)] == been::nowhere) enter(start);
    while (!path_.empty()) {
      step& last = path_.back();
      if (last.next == last.edges.size()) {
        seen_[index_of(last.rank)] = been::left;
        path_.pop_back();
        continue;
      }
      const int to = last.edges[last.next++].rank;
      if (to < 0 || index_of(to) >= ranks_.size()) continue;
      if (seen_[index_of(to)] == been::nowhere) {
        enter(to);
      } else if (seen_[index_of(to)] == been::on_path) {
        add_cycle_from(to);
      }
    }
  }

 private:
  enum class been { nowhere, on_path, left };
  struct step {
    int rank;
    std::vector<holder> edges;
    std::size_t next = 0;
  };

  void enter(int rank) {
    seen_[index_of(rank)] = been::on_path;
    path_.push_back({rank, edges_from(ranks_, rank)});
  }

  void add_cycle_from(int first) {
    std::vector<int> cycle;
    for (const step& each : path_) {
      if (each.rank == first || !cycle.empty()) cycle.push_back(each.rank);
    }
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    into_.cycles.push_back(std::move(cycle));
  }

  std::span<const rank_state> ranks_;
  std::vector<been> seen_;
  std::vector<step> path_;
  wait_graph& into_;
};

}  // namespace

wait_graph explain(std::span<const rank_state> ranks, std::span<const int> of) {
  const int count = static_cast<int>(ranks.size());
  const auto is_asked_for = [&](int rank) { return of.empty() || std::find(of.begin(), of.end(), rank) != of.end(); };
  wait_graph graph;
  cycle_search search(ranks, graph);
  for (int start = 0; start < count; ++start) {
    if (!is_asked_for(start)) continue;
    for (holder& each : edges_from(ranks, start)) {
      if (each.rank < 0 || each.rank >= count || ranks[index_of(each.rank)].now != doing::finished) continue;
      graph.on_finished.push_back({start, each.rank, std::move(each.by)});
    }
    search.go_from(start);
  }
  return graph;
}

std::string text_of(const std::vector<int>& cycle) {
  std::string text = fmt::format("rank {}", cycle.front());
  for (std::size_t i = 1; i <= cycle.size(); ++i) text += fmt::format(" waits for {}", cycle[i % cycle.size()]);
  return text;
}

}  // namespace pure::core
