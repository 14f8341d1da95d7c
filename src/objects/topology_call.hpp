// The topologies of communicators, and the calls of every door that make and read them (MPI 5.0, 8.5). Own thread of
// the rank only.
//
// Ranks keep their order: nothing is gained by another one that the placement of ranks has not gained already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "comm/create.hpp"
#include "comm/refusal.hpp"
#include "objects/process_topology.hpp"

namespace pure::core {

/// Null: the communicator has none.
[[nodiscard]] const process_topology* find_topology(const communicator& of);
/// A duplicate has the same.
void copy_topology(const communicator& from, std::uint64_t to);
/// The communicator ends.
void forget_topology(const rank_context& owner, std::uint64_t comm);

/// check(), whose errors all ranks of `from` get, which make something together.
template <class Check>
auto checked_creation(communicator& from, const call& by, Check&& check) {
  return checked_for_all(check, [&](const Error& why) { refuse_creation(from, by, why); });
}

/// One call. Throws topology (the communicator has not got such a one, or it is larger than that), dims, rank, argument
/// (null arrays, too little room).
///
/// Where communicators are made, the error of one rank is the error of all; `result` is where the door puts the handle,
/// which null is refused for. Null is returned to a rank that gets none.
class topology_call {
 public:
  topology_call(communicator& on, const call& by) noexcept : on_(on), by_(by) {}

  [[nodiscard]] communicator* make_grid(int ndims, const int dims[], const int periods[], const void* result) const;
  [[nodiscard]] communicator* part_of_grid(const int remain_dims[], const void* result) const;
  [[nodiscard]] communicator* make_graph(int nodes, const int index[], const int edges[], const void* result) const;
  // Weights: null, if the graph has none.
  [[nodiscard]] communicator* make_adjacent(int indegree, const int sources[], const int source_weights[],
                                            int outdegree, const int destinations[], const int destination_weights[],
                                            const void* result) const;
  [[nodiscard]] communicator* make_distributed(int n, const int sources[], const int degrees[],
                                               const int destinations[], const int weights[], const void* result) const;

  void dims_create(int nodes, int ndims, int dims[]) const;
  /// The rank in a grid or graph of that shape; `undefined`: it would have none.
  [[nodiscard]] int rank_in_grid(int ndims, const int dims[]) const;
  [[nodiscard]] int rank_in_graph(int nodes, const int index[], const int edges[]) const;

  [[nodiscard]] const cartesian_grid& grid() const;
  [[nodiscard]] const known_graph& graph() const;
  [[nodiscard]] const distributed_graph& distributed() const;

  void get_grid(int max_dims, int dims[], int periods[], int coords[]) const;
  [[nodiscard]] int rank_at(const int coords[]) const;
  void coords_of(int rank, int max_dims, int coords[]) const;
  void shift(int direction, int by, int* source, int* destination) const;
  void get_graph(int max_index, int max_edges, int index[], int edges[]) const;
  [[nodiscard]] int degree_of(int rank) const;
  void neighbours_of(int rank, int max_neighbours, int neighbours[]) const;
  /// As many as there is room for.
  void get_distributed(int max_indegree, int sources[], int source_weights[], int max_outdegree, int destinations[],
                       int destination_weights[]) const;

 private:
  [[nodiscard]] communicator* with(process_topology of, communicator* made) const;
  [[nodiscard]] communicator* first_ranks(int count) const;
  [[nodiscard]] int grid_size(int ndims, const int dims[]) const;
  [[nodiscard]] known_graph checked_graph(int nodes, const int index[], const int edges[]) const;
  void check_nodes(int count, const int nodes[], const char* name) const;
  void check_rank(int rank) const;
  void check_room(int room, std::size_t count) const;
  void require_array(const void* array, std::size_t count, const char* name) const;
  [[noreturn]] void throw_no_topology(const char* what) const;

  communicator& on_;
  const call& by_;
};

}  // namespace pure::core
