// Virtual topologies (MPI 5.0, 8.5): forwards to objects/topology_call.hpp.
#include "api/mpi/topologies.hpp"

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"

namespace pure::core::mpi {

namespace {

void set_null(comm_handle* made) noexcept {
  if (made != nullptr) *made = constants::comm_null;
}

/// Null: the graph has no weights. (An array of none may be null.)
const int* weights_or_null(const int weights[]) noexcept {
  return weights == constants::unweighted ? nullptr : weights == nullptr ? constants::weights_empty : weights;
}
int* weights_or_null(int weights[]) noexcept { return weights == constants::unweighted ? nullptr : weights; }

void check_weights(const call& by, int count, const int weights[]) {
  if (count > 0) check_pointer(by, weights, constants::err_arg, "the weights");
}

}  // namespace

void give_made(const communicator& from, const communicator* made, comm_handle* to) {
  *to = constants::comm_null;
  if (made == nullptr) return;
  inherit_handler(from.owner(), from.handle(), made->handle());
  *to = name_of(*made);
}

void bodies::Topo_test(const call&, communicator& comm, int* status) {
  constexpr int values[] = {constants::cart, constants::graph, constants::dist_graph};
  const process_topology* const of = find_topology(comm);
  *status = of == nullptr ? constants::undefined : values[static_cast<int>(of->what())];
}

// ---- grids ----

void bodies::Dims_create(const call& by, int nnodes, int ndims, int dims[]) {
  topology_call(world_of(by), by).dims_create(nnodes, ndims, dims);
}

void bodies::Cart_create(const call& by, communicator& comm_old, int ndims, const int dims[], const int periods[], int,
                         comm_handle* comm_cart) {
  set_null(comm_cart);
  give_made(comm_old, topology_call(comm_old, by).make_grid(ndims, dims, periods, comm_cart), comm_cart);
}

void bodies::Cart_sub(const call& by, communicator& comm, const int remain_dims[], comm_handle* newcomm) {
  set_null(newcomm);
  give_made(comm, topology_call(comm, by).part_of_grid(remain_dims, newcomm), newcomm);
}

void bodies::Cart_map(const call& by, communicator& comm, int ndims, const int dims[], const int[], int* newrank) {
  *newrank = topology_call(comm, by).rank_in_grid(ndims, dims);
}

void bodies::Cartdim_get(const call& by, communicator& comm, int* ndims) {
  *ndims = static_cast<int>(topology_call(comm, by).grid().dims.size());
}

void bodies::Cart_get(const call& by, communicator& comm, int maxdims, int dims[], int periods[], int coords[]) {
  topology_call(comm, by).get_grid(maxdims, dims, periods, coords);
}

void bodies::Cart_rank(const call& by, communicator& comm, const int coords[], int* rank) {
  *rank = topology_call(comm, by).rank_at(coords);
}

void bodies::Cart_coords(const call& by, communicator& comm, int rank, int maxdims, int coords[]) {
  topology_call(comm, by).coords_of(rank, maxdims, coords);
}

void bodies::Cart_shift(const call& by, communicator& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  topology_call(comm, by).shift(direction, disp, rank_source, rank_dest);
}

// ---- graphs that all ranks know ----

void bodies::Graph_create(const call& by, communicator& comm_old, int nnodes, const int indx[], const int edges[], int,
                          comm_handle* comm_graph) {
  set_null(comm_graph);
  give_made(comm_old, topology_call(comm_old, by).make_graph(nnodes, indx, edges, comm_graph), comm_graph);
}

void bodies::Graph_map(const call& by, communicator& comm, int nnodes, const int indx[], const int edges[],
                       int* newrank) {
  *newrank = topology_call(comm, by).rank_in_graph(nnodes, indx, edges);
}

void bodies::Graphdims_get(const call& by, communicator& comm, int* nnodes, int* nedges) {
  const known_graph& graph = topology_call(comm, by).graph();
  *nnodes = static_cast<int>(graph.index.size());
  *nedges = static_cast<int>(graph.edges.size());
}

void bodies::Graph_get(const call& by, communicator& comm, int maxindex, int maxedges, int indx[], int edges[]) {
  topology_call(comm, by).get_graph(maxindex, maxedges, indx, edges);
}

void bodies::Graph_neighbors_count(const call& by, communicator& comm, int rank, int* nneighbors) {
  *nneighbors = topology_call(comm, by).degree_of(rank);
}

void bodies::Graph_neighbors(const call& by, communicator& comm, int rank, int maxneighbors, int neighbors[]) {
  topology_call(comm, by).neighbours_of(rank, maxneighbors, neighbors);
}

// ---- graphs of which each rank knows its part ----

void bodies::Dist_graph_create_adjacent(const call& by, communicator& comm_old, int indegree, const int sources[],
                                        const int sourceweights[], int outdegree, const int destinations[],
                                        const int destweights[], info_handle info, int, comm_handle* comm_dist_graph) {
  checked_creation(comm_old, by, [&] {
    check_weights(by, indegree, sourceweights);
    check_weights(by, outdegree, destweights);
    info_or_null(by, info);
  });
  communicator* const made = topology_call(comm_old, by)
                                 .make_adjacent(indegree, sources, weights_or_null(sourceweights), outdegree,
                                                destinations, weights_or_null(destweights), comm_dist_graph);
  give_made(comm_old, made, comm_dist_graph);
}

void bodies::Dist_graph_create(const call& by, communicator& comm_old, int n, const int sources[], const int degrees[],
                               const int destinations[], const int weights[], info_handle info, int,
                               comm_handle* comm_dist_graph) {
  checked_creation(comm_old, by, [&] {
    check_weights(by, n, weights);
    info_or_null(by, info);
  });
  communicator* const made = topology_call(comm_old, by)
                                 .make_distributed(n, sources, degrees, destinations, weights_or_null(weights),
                                                   comm_dist_graph);
  give_made(comm_old, made, comm_dist_graph);
}

void bodies::Dist_graph_neighbors_count(const call& by, communicator& comm, int* indegree, int* outdegree,
                                        int* weighted) {
  const distributed_graph& graph = topology_call(comm, by).distributed();
  *indegree = static_cast<int>(graph.sources.size());
  *outdegree = static_cast<int>(graph.destinations.size());
  *weighted = graph.is_weighted ? 1 : 0;
}

void bodies::Dist_graph_neighbors(const call& by, communicator& comm, int maxindegree, int sources[],
                                  int* sourceweights, int maxoutdegree, int destinations[], int* destweights) {
  topology_call(comm, by).get_distributed(maxindegree, sources, weights_or_null(sourceweights), maxoutdegree,
                                          destinations, weights_or_null(destweights));
}

}  // namespace pure::core::mpi
