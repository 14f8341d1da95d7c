// Virtual topologies: who a rank's neighbours are (MPI 5.0, chapter 8). Immutable once made; pure functions of their
// arguments, which are right: doors check them. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pure::core {

/// A grid. Ranks are numbered with the last dimension running fastest.
struct cartesian_grid {
  std::vector<int> dims;
  std::vector<bool> is_periodic;

  [[nodiscard]] std::vector<int> coords_of(int rank) const;
  /// Of a place in the grid; a coordinate outside it is allowed in periodic dimensions. proc_null: there is none.
  [[nodiscard]] int rank_at(std::span<const int> coords) const;
  /// The rank that is `by` further in a dimension, or proc_null.
  [[nodiscard]] int shifted(int rank, std::size_t dimension, std::int64_t by) const;
};

/// A graph that all ranks know whole: the neighbours of rank r are edges[index[r - 1]] to edges[index[r] - 1].
struct known_graph {
  std::vector<int> index;
  std::vector<int> edges;

  [[nodiscard]] std::span<const int> neighbours_of(int rank) const;
};

/// A graph of which each rank knows its own edges.
struct distributed_graph {
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
  bool is_weighted = false;
};

/// One neighbour in a collective. Messages to and from one rank over several edges are told apart by the tag, or, where
/// that is the same, by their order.
struct neighbour {
  int rank;  // or proc_null
  int tag;
};

class process_topology {
 public:
  enum class kind { cartesian, known_graph, distributed_graph };

  explicit process_topology(cartesian_grid of) : kind_(kind::cartesian), grid_(std::move(of)) {}
  explicit process_topology(known_graph of) : kind_(kind::known_graph), graph_(std::move(of)) {}
  explicit process_topology(distributed_graph of) : kind_(kind::distributed_graph), distributed_(std::move(of)) {}

  [[nodiscard]] kind what() const noexcept { return kind_; }
  // Each of its own kind only.
  [[nodiscard]] const cartesian_grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const known_graph& graph() const noexcept { return graph_; }
  [[nodiscard]] const distributed_graph& distributed() const noexcept { return distributed_; }

  /// In the order of MPI 5.0, 8.6: in a grid, by dimension, the one before and then the one after.
  [[nodiscard]] std::vector<neighbour> sources_of(int rank) const;
  [[nodiscard]] std::vector<neighbour> destinations_of(int rank) const;

 private:
  kind kind_;
  cartesian_grid grid_;
  known_graph graph_;
  distributed_graph distributed_;
};

/// Makes `count` the product of `dims`, of which those that are not 0 stay, and the others become as equal as can be,
/// the largest first (MPI 5.0, 8.5.2). False: the ones that are given do not divide it.
[[nodiscard]] bool fill_dims(int count, std::span<int> dims);

}  // namespace pure::core
