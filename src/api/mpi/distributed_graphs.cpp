// Graph topologies of which each rank knows its part (MPI 5.0, 8.5.4).
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/topologies.hpp"
#include "coll/collective.hpp"
#include "comm/create.hpp"

namespace pure::core::mpi {

namespace {

const distributed_graph& distributed_of(const call& by, const communicator& comm) {
  const process_topology* const of = find_topology(comm);
  if (of == nullptr || of->what() != process_topology::kind::distributed_graph)
    throw_error(by, MPI_ERR_TOPOLOGY, "the communicator has no distributed graph topology");
  return of->distributed();
}

}  // namespace

namespace {

/// An edge as one rank tells it to all.
struct told_edge {
  int source, destination, weight;
};

bool is_weighted(const int weights[]) noexcept { return weights != MPI_UNWEIGHTED; }

void check_nodes(const call& by, const communicator& comm, int count, const int nodes[], const int weights[],
                 const char* name) {
  check_count(by, count, name);
  if (count == 0) return;
  check_pointer(by, nodes, MPI_ERR_ARG, name);
  check_pointer(by, weights, MPI_ERR_ARG, "the weights");
  for (int i = 0; i < count; ++i) check_rank_of(by, comm, nodes[i]);
}

void append(std::vector<int>& to, int count, const int from[], const int weights[], std::vector<int>& weights_to) {
  to.insert(to.end(), from, from + count);
  if (is_weighted(weights) && count > 0) weights_to.insert(weights_to.end(), weights, weights + count);
}

/// The edges that all ranks of `among` tell, in the order of the ranks.
std::vector<told_edge> all_edges(communicator& among, const call& by, const std::vector<told_edge>& own) {
  const auto ranks = static_cast<std::size_t>(among.size());
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  const auto own_count = static_cast<std::int64_t>(own.size());
  collective_arguments what;
  what.kind = collective::allgather;
  what.send = &own_count;
  what.count = 1;
  what.element_bytes = sizeof own_count;
  what.recv = counts.data();
  what.recv_blocks = {.block_bytes = sizeof own_count};
  run_collective(among, by, what);
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    displs[r] = sum;
    sum += counts[r];
  }
  std::vector<told_edge> all(static_cast<std::size_t>(sum) + 1);
  const told_edge nothing{};
  what.send = own.empty() ? &nothing : own.data();
  what.count = own.size();
  what.element_bytes = sizeof(told_edge);
  what.recv = all.data();
  what.recv_blocks = {.counts = counts.data(), .displs = displs.data(), .element_bytes = sizeof(told_edge)};
  run_collective(among, by, what);
  all.pop_back();
  return all;
}

}  // namespace

void bodies::Dist_graph_create_adjacent(const call& by, communicator& comm_old, int indegree, const int sources[],
                                        const int sourceweights[], int outdegree, const int destinations[],
                                        const int destweights[], MPI_Info info, int, MPI_Comm* comm_dist_graph) {
  checked_creation(comm_old, by, [&] {
    check_pointer(by, comm_dist_graph, MPI_ERR_ARG, "comm_dist_graph");
    check_nodes(by, comm_old, indegree, sources, sourceweights, "sources");
    check_nodes(by, comm_old, outdegree, destinations, destweights, "destinations");
    info_or_null(by, info);
  });
  distributed_graph graph;
  graph.is_weighted = is_weighted(sourceweights);
  append(graph.sources, indegree, sources, sourceweights, graph.source_weights);
  append(graph.destinations, outdegree, destinations, destweights, graph.destination_weights);
  communicator& made = duplicate(comm_old, by);
  give_with_topology(comm_old, &made, process_topology(std::move(graph)), comm_dist_graph);
}

void bodies::Dist_graph_create(const call& by, communicator& comm_old, int n, const int sources[], const int degrees[],
                               const int destinations[], const int weights[], MPI_Info info, int,
                               MPI_Comm* comm_dist_graph) {
  std::vector<told_edge> own;
  checked_creation(comm_old, by, [&] {
    check_pointer(by, comm_dist_graph, MPI_ERR_ARG, "comm_dist_graph");
    check_nodes(by, comm_old, n, sources, weights, "sources");
    if (n > 0) check_pointer(by, degrees, MPI_ERR_ARG, "degrees");
    info_or_null(by, info);
    int at = 0;
    for (int i = 0; i < n; ++i) {
      check_nodes(by, comm_old, degrees[i], destinations + at, weights, "destinations");
      for (int k = 0; k < degrees[i]; ++k, ++at)
        own.push_back({sources[i], destinations[at], is_weighted(weights) ? weights[at] : 0});
    }
  });
  communicator& made = duplicate(comm_old, by);
  distributed_graph graph;
  graph.is_weighted = is_weighted(weights);
  for (const told_edge& each : all_edges(made, by, own)) {
    if (each.destination == made.rank()) {
      graph.sources.push_back(each.source);
      if (graph.is_weighted) graph.source_weights.push_back(each.weight);
    }
    if (each.source == made.rank()) {
      graph.destinations.push_back(each.destination);
      if (graph.is_weighted) graph.destination_weights.push_back(each.weight);
    }
  }
  give_with_topology(comm_old, &made, process_topology(std::move(graph)), comm_dist_graph);
}

void bodies::Dist_graph_neighbors_count(const call& by, communicator& comm, int* indegree, int* outdegree,
                                        int* weighted) {
  const distributed_graph& graph = distributed_of(by, comm);
  *indegree = static_cast<int>(graph.sources.size());
  *outdegree = static_cast<int>(graph.destinations.size());
  *weighted = graph.is_weighted ? 1 : 0;
}

void bodies::Dist_graph_neighbors(const call& by, communicator& comm, int maxindegree, int sources[],
                                  int* sourceweights, int maxoutdegree, int destinations[], int* destweights) {
  const distributed_graph& graph = distributed_of(by, comm);
  const auto give_first = [](const std::vector<int>& from, int most, int to[]) {
    std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(most, 0))), to);
  };
  give_first(graph.sources, maxindegree, sources);
  give_first(graph.destinations, maxoutdegree, destinations);
  if (!graph.is_weighted) return;
  if (is_weighted(sourceweights)) give_first(graph.source_weights, maxindegree, sourceweights);
  if (is_weighted(destweights)) give_first(graph.destination_weights, maxoutdegree, destweights);
}

}  // namespace pure::core::mpi
