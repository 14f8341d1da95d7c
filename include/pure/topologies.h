// Virtual topologies of pure.h: which ranks of a communicator are neighbours (MPI 4.1, chapter 8). Part of pure.h.
//
// A topology belongs to a communicator that is made with it, by all ranks together; a duplicate has the same. Ranks
// keep their order, whatever `reorder` says: where they run is for purerun to decide (docs/run.md). Functions that make
// a communicator are collective, and what is wrong with the arguments of one rank is the error of all; the others are
// local.
//
// Errors: PURE_ERR_TOPOLOGY (the communicator has no such topology, or too few ranks for it), _DIMS, _RANK, _ARG (null
// arrays, too little room), _COMM.
#ifndef PURE_TOPOLOGIES_H
#define PURE_TOPOLOGIES_H

#include <pure.h>

/// What pure_topo_test finds; PURE_UNDEFINED: no topology.
enum pure_topology : int { PURE_CART = 1, PURE_GRAPH = 2, PURE_DIST_GRAPH = 3 };

/// In place of weights: the graph has none; and, in one that has, of a rank without such edges.
inline int* const PURE_UNWEIGHTED = nullptr;
inline int* const PURE_WEIGHTS_EMPTY = reinterpret_cast<int*>(std::intptr_t{-1});  // NOLINT: no address of anything

PURE_API int pure_topo_test(pure_comm comm, int* status, pure_call_site site = pure_call_site::current());

// ---- grids ----------------------------------------------------------------------------------------------------

/// A grid of dims[0] x dims[1] x ... ranks, numbered with the last dimension running fastest; in a periodic dimension
/// the last rank's neighbour is the first one. Ranks that are not needed get PURE_COMM_NULL. `dims` and `periods` may
/// be null when there are no dimensions.
PURE_API int pure_cart_create(pure_comm comm, int ndims, const int dims[], const int periods[], int reorder,
                              pure_comm* made, pure_call_site site = pure_call_site::current());
/// Sets those of dims[0..ndims) that are 0, as equal as can be, so that their product is `nodes` (MPI 4.1, 8.5.2).
/// Errors: _DIMS, if the others do not divide it.
PURE_API int pure_dims_create(int nodes, int ndims, int dims[], pure_call_site site = pure_call_site::current());
/// The grids of those dimensions d for which remain_dims[d] is not 0: each rank gets the one that it is in.
PURE_API int pure_cart_sub(pure_comm comm, const int remain_dims[], pure_comm* made,
                           pure_call_site site = pure_call_site::current());

PURE_API int pure_cartdim_get(pure_comm comm, int* ndims, pure_call_site site = pure_call_site::current());
/// The grid, and the place of the calling rank in it; max_dims: the room in the arrays.
PURE_API int pure_cart_get(pure_comm comm, int max_dims, int dims[], int periods[], int coords[],
                           pure_call_site site = pure_call_site::current());
/// The rank at a place. A coordinate outside the grid is _ARG, but in a periodic dimension.
PURE_API int pure_cart_rank(pure_comm comm, const int coords[], int* rank,
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_cart_coords(pure_comm comm, int rank, int max_dims, int coords[],
                              pure_call_site site = pure_call_site::current());
/// The ranks that are `displacement` before and after the calling one in a dimension, or PURE_PROC_NULL: for a shift of
/// data along it.
PURE_API int pure_cart_shift(pure_comm comm, int direction, int displacement, int* source, int* destination,
                             pure_call_site site = pure_call_site::current());
/// The rank that the calling one would have in such a grid, or PURE_UNDEFINED.
PURE_API int pure_cart_map(pure_comm comm, int ndims, const int dims[], const int periods[], int* rank,
                           pure_call_site site = pure_call_site::current());

// ---- graphs ---------------------------------------------------------------------------------------------------

/// A graph that all ranks pass whole: the neighbours of rank r are edges[index[r - 1]] to edges[index[r] - 1].
PURE_API int pure_graph_create(pure_comm comm, int nodes, const int index[], const int edges[], int reorder,
                               pure_comm* made, pure_call_site site = pure_call_site::current());
PURE_API int pure_graphdims_get(pure_comm comm, int* nodes, int* edges,
                                pure_call_site site = pure_call_site::current());
PURE_API int pure_graph_get(pure_comm comm, int max_index, int max_edges, int index[], int edges[],
                            pure_call_site site = pure_call_site::current());
PURE_API int pure_graph_neighbors_count(pure_comm comm, int rank, int* count,
                                        pure_call_site site = pure_call_site::current());
PURE_API int pure_graph_neighbors(pure_comm comm, int rank, int max_neighbors, int neighbors[],
                                  pure_call_site site = pure_call_site::current());
PURE_API int pure_graph_map(pure_comm comm, int nodes, const int index[], const int edges[], int* rank,
                            pure_call_site site = pure_call_site::current());

/// A graph of which each rank passes the edges that lead to it and from it; or any edges, n sources with degrees[i]
/// destinations each. All ranks pass PURE_UNWEIGHTED for the weights, or none does.
PURE_API int pure_dist_graph_create_adjacent(pure_comm comm, int indegree, const int sources[],
                                             const int source_weights[], int outdegree, const int destinations[],
                                             const int destination_weights[], pure_info info, int reorder,
                                             pure_comm* made, pure_call_site site = pure_call_site::current());
PURE_API int pure_dist_graph_create(pure_comm comm, int n, const int sources[], const int degrees[],
                                    const int destinations[], const int weights[], pure_info info, int reorder,
                                    pure_comm* made, pure_call_site site = pure_call_site::current());
PURE_API int pure_dist_graph_neighbors_count(pure_comm comm, int* indegree, int* outdegree, int* weighted,
                                             pure_call_site site = pure_call_site::current());
/// As many as there is room for. The weights may be PURE_UNWEIGHTED.
PURE_API int pure_dist_graph_neighbors(pure_comm comm, int max_indegree, int sources[], int source_weights[],
                                       int max_outdegree, int destinations[], int destination_weights[],
                                       pure_call_site site = pure_call_site::current());

#include <pure/neighbors.h>

#endif  // PURE_TOPOLOGIES_H
