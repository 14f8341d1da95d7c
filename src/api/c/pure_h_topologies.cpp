// pure.h, topologies (pure/topologies.h): forwards to objects/topology_call.hpp.
#include <pure.h>

#include "api/c/door.hpp"
#include "objects/topology_call.hpp"

using namespace pure::core;

namespace {

/// Makes a communicator: make(call) gives it, or null to a rank that gets none.
template <class Make>
int make_with_topology(const char* name, const pure_call_site& site, pure_comm comm, pure_comm* made, Make make) {
  const call by{name, site};
  return c_door(name, [&] {
    communicator& from = communicator_of(by, comm);
    const communicator* const its = make(topology_call(from, by));
    *made = its == nullptr ? PURE_COMM_NULL : static_cast<pure_comm>(its->handle());
  });
}

/// look(call, communicator, by); `result`: refused, if it is null.
template <class Look>
int look_at_topology(const char* name, const pure_call_site& site, pure_comm comm, const void* result, Look look) {
  const call by{name, site};
  return c_door(name, [&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, result, "the result");
    look(topology_call(on, by));
  });
}

}  // namespace

int pure_topo_test(pure_comm comm, int* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    constexpr int values[] = {PURE_CART, PURE_GRAPH, PURE_DIST_GRAPH};
    const communicator& on = communicator_of(by, comm);
    require(on, by, status, "status");
    const process_topology* const of = find_topology(on);
    *status = of == nullptr ? PURE_UNDEFINED : values[static_cast<int>(of->what())];
  });
}

// ---- grids ----

int pure_cart_create(pure_comm comm, int ndims, const int dims[], const int periods[], int /*reorder*/, pure_comm* made,
                     pure_call_site site) {
  return make_with_topology("pure_cart_create", site, comm, made,
                            [&](const topology_call& its) { return its.make_grid(ndims, dims, periods, made); });
}

int pure_dims_create(int nodes, int ndims, int dims[], pure_call_site site) {
  return c_call(site, [&](const call& by) { topology_call(world_of(by), by).dims_create(nodes, ndims, dims); });
}

int pure_cart_sub(pure_comm comm, const int remain_dims[], pure_comm* made, pure_call_site site) {
  return make_with_topology("pure_cart_sub", site, comm, made,
                            [&](const topology_call& its) { return its.part_of_grid(remain_dims, made); });
}

int pure_cartdim_get(pure_comm comm, int* ndims, pure_call_site site) {
  return look_at_topology("pure_cartdim_get", site, comm, ndims,
                          [&](const topology_call& its) { *ndims = static_cast<int>(its.grid().dims.size()); });
}

int pure_cart_get(pure_comm comm, int max_dims, int dims[], int periods[], int coords[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    topology_call(communicator_of(by, comm), by).get_grid(max_dims, dims, periods, coords);
  });
}

int pure_cart_rank(pure_comm comm, const int coords[], int* rank, pure_call_site site) {
  return look_at_topology("pure_cart_rank", site, comm, rank,
                          [&](const topology_call& its) { *rank = its.rank_at(coords); });
}

int pure_cart_coords(pure_comm comm, int rank, int max_dims, int coords[], pure_call_site site) {
  return c_call(
      site, [&](const call& by) { topology_call(communicator_of(by, comm), by).coords_of(rank, max_dims, coords); });
}

int pure_cart_shift(pure_comm comm, int direction, int displacement, int* source, int* destination,
                    pure_call_site site) {
  const call by{"pure_cart_shift", site};
  return c_door(
      [&] { topology_call(communicator_of(by, comm), by).shift(direction, displacement, source, destination); });
}

int pure_cart_map(pure_comm comm, int ndims, const int dims[], const int /*periods*/[], int* rank,
                  pure_call_site site) {
  return look_at_topology("pure_cart_map", site, comm, rank,
                          [&](const topology_call& its) { *rank = its.rank_in_grid(ndims, dims); });
}

// ---- graphs that all ranks know ----

int pure_graph_create(pure_comm comm, int nodes, const int index[], const int edges[], int /*reorder*/, pure_comm* made,
                      pure_call_site site) {
  return make_with_topology("pure_graph_create", site, comm, made,
                            [&](const topology_call& its) { return its.make_graph(nodes, index, edges, made); });
}

int pure_graphdims_get(pure_comm comm, int* nodes, int* edges, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    const known_graph& graph = topology_call(on, by).graph();
    require(on, by, nodes, "nodes");
    require(on, by, edges, "edges");
    *nodes = static_cast<int>(graph.index.size());
    *edges = static_cast<int>(graph.edges.size());
  });
}

int pure_graph_get(pure_comm comm, int max_index, int max_edges, int index[], int edges[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    topology_call(communicator_of(by, comm), by).get_graph(max_index, max_edges, index, edges);
  });
}

int pure_graph_neighbors_count(pure_comm comm, int rank, int* count, pure_call_site site) {
  return look_at_topology("pure_graph_neighbors_count", site, comm, count,
                          [&](const topology_call& its) { *count = its.degree_of(rank); });
}

int pure_graph_neighbors(pure_comm comm, int rank, int max_neighbors, int neighbors[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    topology_call(communicator_of(by, comm), by).neighbours_of(rank, max_neighbors, neighbors);
  });
}

int pure_graph_map(pure_comm comm, int nodes, const int index[], const int edges[], int* rank, pure_call_site site) {
  return look_at_topology("pure_graph_map", site, comm, rank,
                          [&](const topology_call& its) { *rank = its.rank_in_graph(nodes, index, edges); });
}

// ---- graphs of which each rank knows its part ----

int pure_dist_graph_create_adjacent(pure_comm comm, int indegree, const int sources[], const int source_weights[],
                                    int outdegree, const int destinations[], const int destination_weights[],
                                    pure_info /*info*/, int /*reorder*/, pure_comm* made, pure_call_site site) {
  return make_with_topology("pure_dist_graph_create_adjacent", site, comm, made, [&](const topology_call& its) {
    return its.make_adjacent(indegree, sources, source_weights, outdegree, destinations, destination_weights, made);
  });
}

int pure_dist_graph_create(pure_comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                           const int weights[], pure_info /*info*/, int /*reorder*/, pure_comm* made,
                           pure_call_site site) {
  return make_with_topology("pure_dist_graph_create", site, comm, made, [&](const topology_call& its) {
    return its.make_distributed(n, sources, degrees, destinations, weights, made);
  });
}

int pure_dist_graph_neighbors_count(pure_comm comm, int* indegree, int* outdegree, int* weighted, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    const distributed_graph& graph = topology_call(on, by).distributed();
    require(on, by, indegree, "indegree");
    require(on, by, outdegree, "outdegree");
    require(on, by, weighted, "weighted");
    *indegree = static_cast<int>(graph.sources.size());
    *outdegree = static_cast<int>(graph.destinations.size());
    *weighted = graph.is_weighted ? 1 : 0;
  });
}

int pure_dist_graph_neighbors(pure_comm comm, int max_indegree, int sources[], int source_weights[], int max_outdegree,
                              int destinations[], int destination_weights[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    topology_call(communicator_of(by, comm), by)
        .get_distributed(max_indegree, sources, source_weights, max_outdegree, destinations, destination_weights);
  });
}
