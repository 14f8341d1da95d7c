// The graphs of the Graph500 benchmark, spread over all ranks, and its validation of a search (Graph500 benchmark
// specification 1.2, "Kernel 1", "Validation"): https://graph500.org/?page_id=12.
//
// Vertex v is number v / ranks of rank v % ranks. An edge is made of its number alone, so every rank makes its share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "common.hpp"

namespace graph500 {

inline constexpr std::uint32_t none = UINT32_MAX;
inline constexpr std::uint64_t edge_factor = 16;

struct edge {
  std::uint32_t from, to;
};

/// Vertices as Kronecker's product numbers them tell their degrees: so they get other numbers. One to one.
inline std::uint32_t permuted(std::uint32_t vertex, unsigned scale) noexcept {
  const std::uint32_t mask = (std::uint32_t{1} << scale) - 1;
  for (const std::uint32_t odd : {0x9e3779b1U, 0x85ebca77U, 0xc2b2ae3dU, 0x27d4eb2fU}) {
    vertex = (vertex * odd + 0x165667b1U) & mask;
    vertex ^= vertex >> ((scale + 1) / 2);
  }
  return vertex;
}

/// Edge `number` of the Kronecker graph with A, B, C, D = 0.57, 0.19, 0.19, 0.05.
inline edge kronecker_edge(std::uint64_t number, unsigned scale) noexcept {
  constexpr double unit = 4294967296.0;
  constexpr double below = 0.57 + 0.19, right_above = 0.57 / below, right_below = 0.19 / (1 - below);
  std::uint32_t from = 0, to = 0;
  for (unsigned bit = 0; bit < scale; ++bit) {
    const std::uint64_t random = mix(number << 6 | bit);
    const bool is_below = static_cast<double>(random >> 32) > below * unit;
    const bool is_right = static_cast<double>(random & UINT32_MAX) > (is_below ? right_below : right_above) * unit;
    from |= std::uint32_t{is_below} << bit;
    to |= std::uint32_t{is_right} << bit;
  }
  return {permuted(from, scale), permuted(to, scale)};
}

/// One rank's part.
class graph {
 public:
  /// Collective.
  graph(const pure::comm& world, unsigned scale)
      : scale_(scale),
        ranks_(static_cast<std::uint32_t>(world.size())),
        me_(static_cast<std::uint32_t>(world.rank())),
        vertices_(((std::uint32_t{1} << scale) + ranks_ - 1 - me_) / ranks_) {
    std::vector<edge> arcs;  // from vertices of this rank: their numbers here
    {
      pure::aggregation items(world, {.name = "edges"});
      const auto add = items.on<edge>([&](const edge& each) { arcs.push_back(each); });
      for_own_edges([&](const edge& each) {
        if (each.from == each.to) return;
        add.send({local(each.from), each.to}, owner(each.from));
        add.send({local(each.to), each.from}, owner(each.to));
      });
      items.finish();
    }
    first_.assign(vertices_ + 1, 0);
    for (const edge& each : arcs) ++first_[each.from + 1];
    for (std::uint32_t v = 0; v < vertices_; ++v) first_[v + 1] += first_[v];
    neighbours_.resize(arcs.size());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (const edge& each : arcs) neighbours_[next[each.from]++] = each.to;
  }

  [[nodiscard]] std::uint32_t vertices() const noexcept { return vertices_; }  // of this rank
  [[nodiscard]] std::uint64_t all_edges() const noexcept { return edge_factor << scale_; }
  [[nodiscard]] int owner(std::uint32_t vertex) const noexcept { return static_cast<int>(vertex % ranks_); }
  [[nodiscard]] std::uint32_t local(std::uint32_t vertex) const noexcept { return vertex / ranks_; }
  [[nodiscard]] std::uint32_t global(std::uint32_t here) const noexcept { return here * ranks_ + me_; }
  [[nodiscard]] bool is_here(std::uint32_t vertex) const noexcept { return vertex % ranks_ == me_; }
  [[nodiscard]] std::uint64_t degree(std::uint32_t here) const noexcept { return first_[here + 1] - first_[here]; }
  [[nodiscard]] const std::uint32_t* begin_of(std::uint32_t here) const noexcept {
    return neighbours_.data() + first_[here];
  }
  [[nodiscard]] const std::uint32_t* end_of(std::uint32_t here) const noexcept {
    return neighbours_.data() + first_[here + 1];
  }

  /// The edges of the input that this rank makes, with loops and repeated ones.
  template <class Act>
  void for_own_edges(Act act) const {
    const std::uint64_t all = all_edges();
    for (std::uint64_t number = all * me_ / ranks_; number < all * (me_ + 1) / ranks_; ++number)
      act(kronecker_edge(number, scale_));
  }

  /// Collective. A vertex that has a neighbour, number `which` of many.
  [[nodiscard]] std::uint32_t root(const pure::comm& world, std::uint64_t which) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      const auto vertex = static_cast<std::uint32_t>(mix(~(which << 32 | attempt)) &
                                                     ((std::uint64_t{1} << scale_) - 1));
      const bool is_joined = is_here(vertex) && degree(local(vertex)) > 0;
      if (world.all_reduce(is_joined ? 1 : 0, std::plus<>{}) > 0) return vertex;
    }
  }

 private:
  unsigned scale_;
  std::uint32_t ranks_, me_, vertices_;
  std::vector<std::uint64_t> first_;  // by vertex, into:
  std::vector<std::uint32_t> neighbours_;
};

struct validation {
  std::string mistakes = {};    // empty: it is right. The same on all ranks
  std::uint64_t edges = 0;      // of the input, between vertices that were reached: what TEPS counts
  std::uint64_t reached = 0;    // vertices
  std::uint64_t level_sum = 0;  // of all reached: two right searches agree
};

/// How far from the root each vertex is in the tree; -1: not in it. Vertices whose way to the root has no end, or ends
/// elsewhere, are counted in `detached`. Collective.
inline std::vector<std::int32_t> levels_of(const pure::comm& world, const graph& on, std::uint32_t root,
                                           const std::vector<std::uint32_t>& parents, std::uint64_t& detached) {
  std::vector<std::int32_t> levels(on.vertices(), -1);
  std::vector<std::uint32_t> open;
  for (std::uint32_t v = 0; v < on.vertices(); ++v) {
    if (on.global(v) == root && parents[v] == root) {
      levels[v] = 0;
    } else if (parents[v] != none) {
      open.push_back(v);
    }
  }
  pure::aggregation items(world, {.name = "levels"});
  const auto ask = items.on_query<std::uint32_t>([&](std::uint32_t vertex) { return levels[vertex]; },
                                                 [&](std::int32_t level, std::uint64_t token) {
                                                   if (level >= 0) levels[token] = level + 1;
                                                 });
  std::uint64_t before = 0;
  for (detached = world.all_reduce(std::uint64_t{open.size()}, std::plus<>{}); detached > 0 && detached != before;) {
    for (const std::uint32_t v : open) ask.ask(on.local(parents[v]), on.owner(parents[v]), v);
    items.finish();
    std::erase_if(open, [&](std::uint32_t v) { return levels[v] >= 0; });
    before = detached;
    detached = world.all_reduce(std::uint64_t{open.size()}, std::plus<>{});
  }
  return levels;
}

/// Is `parents` (by vertex of each rank; none: not reached) the tree of a search from `root`, breadth first? It is if
/// all its ways lead to the root; each edge of the tree is one of the input; and the ends of each edge of the input are
/// both outside of it, or in levels that differ by at most one, so that it spans the whole component. Collective.
inline validation validate(const pure::comm& world, const graph& on, std::uint32_t root,
                           const std::vector<std::uint32_t>& parents) {
  std::uint64_t detached = 0;
  const std::vector<std::int32_t> levels = levels_of(world, on, root, parents, detached);

  struct first_end {
    std::uint32_t from, to;
  };
  struct second_end {
    std::uint32_t to, from;
    std::int32_t level;
  };
  std::uint64_t edges = 0, half_outside = 0, too_far = 0;
  std::vector<bool> is_edge(on.vertices());
  {
    pure::aggregation items(world, {.name = "validation"});
    const auto at_second = items.on<second_end>([&](const second_end& each) {
      const std::uint32_t here = on.local(each.to);
      if (parents[here] == each.from) is_edge[here] = true;
      const std::int32_t level = levels[here];
      if ((level < 0) != (each.level < 0)) {
        ++half_outside;
      } else if (level >= 0) {
        ++edges;
        if (std::abs(level - each.level) > 1) ++too_far;
      }
    });
    const auto at_first = items.on<first_end>([&](const first_end& each) {
      const std::uint32_t here = on.local(each.from);
      if (parents[here] == each.to) is_edge[here] = true;
      at_second.send({each.to, each.from, levels[here]}, on.owner(each.to));
    });
    on.for_own_edges([&](const edge& each) { at_first.send({each.from, each.to}, on.owner(each.from)); });
    items.finish();
  }
  std::uint64_t no_edges = 0, reached = 0, level_sum = 0;
  for (std::uint32_t v = 0; v < on.vertices(); ++v) {
    if (parents[v] == none) continue;
    ++reached;
    level_sum += static_cast<std::uint64_t>(std::max(levels[v], 0));
    if (on.global(v) != root && !is_edge[v]) ++no_edges;
  }
  const auto sum = [&](std::uint64_t of) { return world.all_reduce(of, std::plus<>{}); };
  validation found{.edges = sum(edges), .reached = sum(reached), .level_sum = sum(level_sum)};
  const auto complain = [&](std::uint64_t count, const char* what) {
    if (count > 0) found.mistakes.append(" ").append(std::to_string(count)).append(" ").append(what).append(".");
  };
  complain(detached, "vertices of the tree do not lead to its root");
  complain(sum(no_edges), "edges of the tree are none of the graph");
  complain(sum(half_outside), "edges of the graph leave the tree");
  complain(sum(too_far), "edges of the graph join levels that differ by more than one");
  if (found.reached == 0) found.mistakes += " The root is not in the tree.";
  return found;
}

}  // namespace graph500
