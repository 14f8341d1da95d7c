// Virtual topologies (MPI 5.0, 8.5). Ranks keep their order: nothing is gained by another one that the placement of
// ranks has not gained already.
#include "api/mpi/topologies.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "comm/create.hpp"
#include "comm/refusal.hpp"
#include "objects/rank_objects.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

[[noreturn]] void throw_wrong_topology(const call& by, const char* what) {
  throw_error(by, MPI_ERR_TOPOLOGY, fmt::format("the communicator has no {} topology", what));
}

const cartesian_grid& grid_of(const call& by, const communicator& comm) {
  const process_topology* const of = find_topology(comm);
  if (of == nullptr || of->what() != process_topology::kind::cartesian) throw_wrong_topology(by, "Cartesian");
  return of->grid();
}
const known_graph& graph_of(const call& by, const communicator& comm) {
  const process_topology* const of = find_topology(comm);
  if (of == nullptr || of->what() != process_topology::kind::known_graph) throw_wrong_topology(by, "graph");
  return of->graph();
}
/// The first ranks get the communicator.
communicator* first_ranks(communicator& from, const call& by, int count) {
  return split(from, by, from.rank() < count ? std::optional(0) : std::nullopt, from.rank());
}

void check_room(const call& by, std::int64_t room, std::size_t count) {
  if (room < static_cast<std::int64_t>(count))
    throw_wrong_call(by, errc::argument, fmt::format("there is room for {}, but there are {}", room, count));
}

template <class T>
void copy_to(int to[], const std::vector<T>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

/// How many processes the grid takes. Throws dims, topology: more than there are.
int grid_size(const call& by, int ndims, const int dims[], int processes) {
  check_count(by, ndims, "ndims");
  if (ndims > 0) check_pointer(by, dims, MPI_ERR_ARG, "dims");
  std::int64_t size = 1;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 1) throw_error(by, MPI_ERR_DIMS, fmt::format("dims[{}] is {}", d, dims[d]));
    size *= dims[d];
    if (size > processes)
      throw_error(by, MPI_ERR_TOPOLOGY, fmt::format("the grid is larger than the {} ranks that there are", processes));
  }
  return static_cast<int>(size);
}

known_graph checked_graph(const call& by, int nnodes, const int indx[], const int edges[], int processes) {
  if (nnodes < 0 || nnodes > processes)
    throw_error(by, MPI_ERR_TOPOLOGY, fmt::format("a graph of {} nodes is not for {} ranks", nnodes, processes));
  known_graph made;
  if (nnodes == 0) return made;
  check_pointer(by, indx, MPI_ERR_ARG, "index");
  made.index.assign(indx, indx + nnodes);
  for (int i = 0; i < nnodes; ++i) {
    if (indx[i] < (i == 0 ? 0 : indx[i - 1]))
      throw_error(by, MPI_ERR_TOPOLOGY, fmt::format("index[{}] is {}, which is less than the one before", i, indx[i]));
  }
  const int count = indx[nnodes - 1];
  if (count > 0) check_pointer(by, edges, MPI_ERR_ARG, "edges");
  made.edges.assign(edges, edges + count);
  for (const int each : made.edges) {
    if (each < 0 || each >= nnodes)
      throw_error(by, MPI_ERR_TOPOLOGY, fmt::format("an edge leads to {}, which is no node of {}", each, nnodes));
  }
  return made;
}

}  // namespace

void give_with_topology(communicator& from, communicator* made, process_topology of, MPI_Comm* to) {
  *to = MPI_COMM_NULL;
  if (made == nullptr) return;
  inherit_handler(from.owner(), from.handle(), made->handle());
  rank_objects::of(from.owner()).topologies[made->handle()] = std::make_shared<const process_topology>(std::move(of));
  *to = name_of(*made);
}

void check_rank_of(const call& by, const communicator& comm, int rank) {
  if (rank < 0 || rank >= comm.size())
    throw_wrong_call(by, errc::rank, fmt::format("there is no rank {} of {}", rank, comm.size()));
}

const process_topology* find_topology(const communicator& of) {
  const auto& all = rank_objects::of(of.owner()).topologies;
  const auto found = all.find(of.handle());
  return found == all.end() ? nullptr : found->second.get();
}

void copy_topology(const communicator& from, std::uint64_t to) {
  auto& all = rank_objects::of(from.owner()).topologies;
  const auto found = all.find(from.handle());
  if (found == all.end()) return;
  const std::shared_ptr<const process_topology> shared = found->second;
  all[to] = shared;
}

void forget_topology(const rank_context& owner, std::uint64_t comm) { rank_objects::of(owner).topologies.erase(comm); }

void bodies::Topo_test(const call&, communicator& comm, int* status) {
  constexpr int values[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  const process_topology* const of = find_topology(comm);
  *status = of == nullptr ? MPI_UNDEFINED : values[static_cast<int>(of->what())];
}

// ---- grids ----

void bodies::Dims_create(const call& by, int nnodes, int ndims, int dims[]) {
  if (nnodes < 1) throw_wrong_call(by, errc::argument, fmt::format("there are no {} nodes", nnodes));
  const std::span<int> all(dims, static_cast<std::size_t>(ndims));
  if (std::any_of(all.begin(), all.end(), [](int each) { return each < 0; }))
    throw_error(by, MPI_ERR_DIMS, "a dimension is negative");
  if (!fill_dims(nnodes, all) && ndims > 0)
    throw_error(by, MPI_ERR_DIMS, fmt::format("{} nodes are no multiple of the dimensions that are given", nnodes));
}

void bodies::Cart_create(const call& by, communicator& comm_old, int ndims, const int dims[], const int periods[], int,
                         MPI_Comm* comm_cart) {
  const int size = checked_creation(comm_old, by, [&] {
    check_pointer(by, comm_cart, MPI_ERR_ARG, "comm_cart");
    *comm_cart = MPI_COMM_NULL;
    const int count = grid_size(by, ndims, dims, comm_old.size());
    if (ndims > 0) check_pointer(by, periods, MPI_ERR_ARG, "periods");
    return count;
  });
  cartesian_grid grid;
  for (int d = 0; d < ndims; ++d) {
    grid.dims.push_back(dims[d]);
    grid.is_periodic.push_back(periods[d] != 0);
  }
  give_with_topology(comm_old, first_ranks(comm_old, by, size), process_topology(std::move(grid)), comm_cart);
}

void bodies::Cart_sub(const call& by, communicator& comm, const int remain_dims[], MPI_Comm* newcomm) {
  const cartesian_grid& grid = *checked_creation(comm, by, [&] {
    check_pointer(by, newcomm, MPI_ERR_ARG, "newcomm");
    const cartesian_grid& of = grid_of(by, comm);
    if (!of.dims.empty()) check_pointer(by, remain_dims, MPI_ERR_ARG, "remain_dims");
    return &of;
  });
  const std::vector<int> coords = grid.coords_of(comm.rank());
  cartesian_grid left;
  int color = 0, key = 0;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    if (remain_dims[d] != 0) {
      left.dims.push_back(grid.dims[d]);
      left.is_periodic.push_back(grid.is_periodic[d]);
      key = key * grid.dims[d] + coords[d];
    } else {
      color = color * grid.dims[d] + coords[d];
    }
  }
  communicator* const made = split(comm, by, color, key);
  give_with_topology(comm, made, process_topology(std::move(left)), newcomm);
}

void bodies::Cart_map(const call& by, communicator& comm, int ndims, const int dims[], const int[], int* newrank) {
  const int size = grid_size(by, ndims, dims, comm.size());
  *newrank = comm.rank() < size ? comm.rank() : MPI_UNDEFINED;
}

void bodies::Cartdim_get(const call& by, communicator& comm, int* ndims) {
  *ndims = static_cast<int>(grid_of(by, comm).dims.size());
}

void bodies::Cart_get(const call& by, communicator& comm, int maxdims, int dims[], int periods[], int coords[]) {
  const cartesian_grid& grid = grid_of(by, comm);
  check_room(by, maxdims, grid.dims.size());
  copy_to(dims, grid.dims);
  copy_to(periods, grid.is_periodic);
  copy_to(coords, grid.coords_of(comm.rank()));
}

void bodies::Cart_rank(const call& by, communicator& comm, const int coords[], int* rank) {
  const cartesian_grid& grid = grid_of(by, comm);
  if (!grid.dims.empty()) check_pointer(by, coords, MPI_ERR_ARG, "coords");
  *rank = grid.rank_at({coords, grid.dims.size()});
  if (*rank == MPI_PROC_NULL)
    throw_wrong_call(by, errc::argument, "a coordinate is outside the grid, in a dimension that is not periodic");
}

void bodies::Cart_coords(const call& by, communicator& comm, int rank, int maxdims, int coords[]) {
  const cartesian_grid& grid = grid_of(by, comm);
  check_rank_of(by, comm, rank);
  check_room(by, maxdims, grid.dims.size());
  copy_to(coords, grid.coords_of(rank));
}

void bodies::Cart_shift(const call& by, communicator& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const cartesian_grid& grid = grid_of(by, comm);
  if (direction < 0 || static_cast<std::size_t>(direction) >= grid.dims.size())
    throw_error(by, MPI_ERR_DIMS, fmt::format("there is no dimension {} of {}", direction, grid.dims.size()));
  const auto d = static_cast<std::size_t>(direction);
  *rank_source = grid.shifted(comm.rank(), d, -disp);
  *rank_dest = grid.shifted(comm.rank(), d, disp);
}

// ---- graphs that all ranks know ----

void bodies::Graph_create(const call& by, communicator& comm_old, int nnodes, const int indx[], const int edges[], int,
                          MPI_Comm* comm_graph) {
  known_graph graph = checked_creation(comm_old, by, [&] {
    check_pointer(by, comm_graph, MPI_ERR_ARG, "comm_graph");
    *comm_graph = MPI_COMM_NULL;
    return checked_graph(by, nnodes, indx, edges, comm_old.size());
  });
  communicator* const made = first_ranks(comm_old, by, nnodes);
  give_with_topology(comm_old, made, process_topology(std::move(graph)), comm_graph);
}

void bodies::Graph_map(const call& by, communicator& comm, int nnodes, const int indx[], const int edges[],
                       int* newrank) {
  static_cast<void>(checked_graph(by, nnodes, indx, edges, comm.size()));
  *newrank = comm.rank() < nnodes ? comm.rank() : MPI_UNDEFINED;
}

void bodies::Graphdims_get(const call& by, communicator& comm, int* nnodes, int* nedges) {
  const known_graph& graph = graph_of(by, comm);
  *nnodes = static_cast<int>(graph.index.size());
  *nedges = static_cast<int>(graph.edges.size());
}

void bodies::Graph_get(const call& by, communicator& comm, int maxindex, int maxedges, int indx[], int edges[]) {
  const known_graph& graph = graph_of(by, comm);
  check_room(by, maxindex, graph.index.size());
  check_room(by, maxedges, graph.edges.size());
  copy_to(indx, graph.index);
  copy_to(edges, graph.edges);
}

void bodies::Graph_neighbors_count(const call& by, communicator& comm, int rank, int* nneighbors) {
  const known_graph& graph = graph_of(by, comm);
  check_rank_of(by, comm, rank);
  *nneighbors = static_cast<int>(graph.neighbours_of(rank).size());
}

void bodies::Graph_neighbors(const call& by, communicator& comm, int rank, int maxneighbors, int neighbors[]) {
  const known_graph& graph = graph_of(by, comm);
  check_rank_of(by, comm, rank);
  const auto all = graph.neighbours_of(rank);
  check_room(by, maxneighbors, all.size());
  std::copy(all.begin(), all.end(), neighbors);
}

}  // namespace pure::core::mpi
