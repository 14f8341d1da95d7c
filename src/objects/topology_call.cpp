#include "objects/topology_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "comm/point_to_point.hpp"
#include "match/status.hpp"
#include "objects/arguments.hpp"
#include "objects/rank_objects.hpp"

namespace pure::core {

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

// ---- checks ----

void topology_call::throw_no_topology(const char* what) const {
  throw_bad_argument(on_, by_, errc::topology, fmt::format("the communicator has no {} topology", what));
}

const cartesian_grid& topology_call::grid() const {
  const process_topology* const of = find_topology(on_);
  if (of == nullptr || of->what() != process_topology::kind::cartesian) throw_no_topology("Cartesian");
  return of->grid();
}

const known_graph& topology_call::graph() const {
  const process_topology* const of = find_topology(on_);
  if (of == nullptr || of->what() != process_topology::kind::known_graph) throw_no_topology("graph");
  return of->graph();
}

void topology_call::check_rank(int rank) const {
  if (rank < 0 || rank >= on_.size())
    throw_bad_argument(on_, by_, errc::rank, fmt::format("there is no rank {} of {}", rank, on_.size()));
}

void topology_call::check_room(int room, std::size_t count) const {
  if (room < static_cast<std::int64_t>(count))
    throw_bad_argument(on_, by_, errc::argument, fmt::format("there is room for {}, but there are {}", room, count));
}

void topology_call::require_array(const void* array, std::size_t count, const char* name) const {
  if (count > 0) require(on_, by_, array, name);
}

/// How many ranks the grid takes: none, if a dimension is 0.
int topology_call::grid_size(int ndims, const int dims[]) const {
  if (ndims < 0) throw_bad_argument(on_, by_, errc::dims, fmt::format("a grid has no {} dimensions", ndims));
  require_array(dims, static_cast<std::size_t>(ndims), "dims");
  const std::span<const int> all(dims, static_cast<std::size_t>(ndims));
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (all[d] < 0) throw_bad_argument(on_, by_, errc::dims, fmt::format("dims[{}] is {}", d, all[d]));
  }
  if (std::find(all.begin(), all.end(), 0) != all.end()) return 0;
  std::int64_t size = 1;
  for (const int each : all) {
    size *= each;
    if (size > on_.size())
      throw_bad_argument(on_, by_, errc::topology,
                         fmt::format("the grid is larger than the {} ranks that there are", on_.size()));
  }
  return static_cast<int>(size);
}

known_graph topology_call::checked_graph(int nodes, const int index[], const int edges[]) const {
  if (nodes < 0 || nodes > on_.size())
    throw_bad_argument(on_, by_, errc::topology,
                       fmt::format("a graph of {} nodes is not for {} ranks", nodes, on_.size()));
  known_graph made;
  if (nodes == 0) return made;
  require(on_, by_, index, "index");
  made.index.assign(index, index + nodes);
  for (int i = 0; i < nodes; ++i) {
    if (index[i] < (i == 0 ? 0 : index[i - 1]))
      throw_bad_argument(on_, by_, errc::topology,
                         fmt::format("index[{}] is {}, which is less than the one before", i, index[i]));
  }
  const int count = index[nodes - 1];
  require_array(edges, static_cast<std::size_t>(count), "edges");
  made.edges.assign(edges, edges + count);
  for (const int each : made.edges) {
    if (each < 0 || each >= nodes)
      throw_bad_argument(on_, by_, errc::topology,
                         fmt::format("an edge leads to {}, which is no node of {}", each, nodes));
  }
  return made;
}

// ---- made ----

communicator* topology_call::with(process_topology of, communicator* made) const {
  if (made != nullptr)
    rank_objects::of(on_.owner()).topologies[made->handle()] = std::make_shared<const process_topology>(std::move(of));
  return made;
}

communicator* topology_call::first_ranks(int count) const {
  return split(on_, by_, on_.rank() < count ? std::optional(0) : std::nullopt, on_.rank());
}

communicator* topology_call::make_grid(int ndims, const int dims[], const int periods[], const void* result) const {
  const int size = checked_creation(on_, by_, [&] {
    require(on_, by_, result, "the new communicator");
    const int count = grid_size(ndims, dims);
    require_array(periods, static_cast<std::size_t>(ndims), "periods");
    return count;
  });
  cartesian_grid grid;
  for (int d = 0; d < ndims; ++d) {
    grid.dims.push_back(dims[d]);
    grid.is_periodic.push_back(periods[d] != 0);
  }
  communicator* const made = first_ranks(size);
  if (made != nullptr && made->size() != size) {
    const int ranks = made->size();
    free(*made, by_);
    throw_bad_argument(on_, by_, errc::mismatch,
                       fmt::format("the grid takes {} ranks, and {} of them have asked for it: all give the same "
                                   "dimensions",
                                   size, ranks));
  }
  return with(process_topology(std::move(grid)), made);
}

communicator* topology_call::part_of_grid(const int remain_dims[], const void* result) const {
  const cartesian_grid& whole = *checked_creation(on_, by_, [&] {
    require(on_, by_, result, "the new communicator");
    require_array(remain_dims, grid().dims.size(), "remain_dims");
    return &grid();
  });
  const std::vector<int> coords = whole.coords_of(on_.rank());
  cartesian_grid left;
  int color = 0, key = 0;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    if (remain_dims[d] != 0) {
      left.dims.push_back(whole.dims[d]);
      left.is_periodic.push_back(whole.is_periodic[d]);
      key = key * whole.dims[d] + coords[d];
    } else {
      color = color * whole.dims[d] + coords[d];
    }
  }
  return with(process_topology(std::move(left)), split(on_, by_, color, key));
}

communicator* topology_call::make_graph(int nodes, const int index[], const int edges[], const void* result) const {
  known_graph made = checked_creation(on_, by_, [&] {
    require(on_, by_, result, "the new communicator");
    return checked_graph(nodes, index, edges);
  });
  return with(process_topology(std::move(made)), first_ranks(nodes));
}

// ---- read ----

void topology_call::dims_create(int nodes, int ndims, int dims[]) const {
  if (nodes < 1) throw_bad_argument(on_, by_, errc::argument, fmt::format("there are no {} nodes", nodes));
  if (ndims < 0) throw_bad_argument(on_, by_, errc::dims, fmt::format("a grid has no {} dimensions", ndims));
  require_array(dims, static_cast<std::size_t>(ndims), "dims");
  const std::span<int> all(dims, static_cast<std::size_t>(ndims));
  if (std::any_of(all.begin(), all.end(), [](int each) { return each < 0; }))
    throw_bad_argument(on_, by_, errc::dims, "a dimension is negative");
  if (!fill_dims(nodes, all) && ndims > 0)
    throw_bad_argument(on_, by_, errc::dims,
                       fmt::format("{} nodes are no multiple of the dimensions that are given", nodes));
}

int topology_call::rank_in_grid(int ndims, const int dims[]) const {
  return on_.rank() < grid_size(ndims, dims) ? on_.rank() : undefined;
}

int topology_call::rank_in_graph(int nodes, const int index[], const int edges[]) const {
  static_cast<void>(checked_graph(nodes, index, edges));
  return on_.rank() < nodes ? on_.rank() : undefined;
}

void topology_call::get_grid(int max_dims, int dims[], int periods[], int coords[]) const {
  const cartesian_grid& of = grid();
  check_room(max_dims, of.dims.size());
  require_array(dims, of.dims.size(), "dims");
  require_array(periods, of.dims.size(), "periods");
  require_array(coords, of.dims.size(), "coords");
  std::copy(of.dims.begin(), of.dims.end(), dims);
  std::copy(of.is_periodic.begin(), of.is_periodic.end(), periods);
  const std::vector<int> own = of.coords_of(on_.rank());
  std::copy(own.begin(), own.end(), coords);
}

int topology_call::rank_at(const int coords[]) const {
  const cartesian_grid& of = grid();
  require_array(coords, of.dims.size(), "coords");
  const int rank = of.rank_at({coords, of.dims.size()});
  if (rank == proc_null)
    throw_bad_argument(on_, by_, errc::argument,
                       "a coordinate is outside the grid, in a dimension that is not periodic");
  return rank;
}

void topology_call::coords_of(int rank, int max_dims, int coords[]) const {
  const cartesian_grid& of = grid();
  check_rank(rank);
  check_room(max_dims, of.dims.size());
  require_array(coords, of.dims.size(), "coords");
  const std::vector<int> all = of.coords_of(rank);
  std::copy(all.begin(), all.end(), coords);
}

void topology_call::shift(int direction, int by, int* source, int* destination) const {
  const cartesian_grid& of = grid();
  require(on_, by_, source, "the source");
  require(on_, by_, destination, "the destination");
  if (direction < 0 || static_cast<std::size_t>(direction) >= of.dims.size())
    throw_bad_argument(on_, by_, errc::dims, fmt::format("there is no dimension {} of {}", direction, of.dims.size()));
  const auto d = static_cast<std::size_t>(direction);
  *source = of.shifted(on_.rank(), d, -std::int64_t{by});
  *destination = of.shifted(on_.rank(), d, by);
}

void topology_call::get_graph(int max_index, int max_edges, int index[], int edges[]) const {
  const known_graph& of = graph();
  check_room(max_index, of.index.size());
  check_room(max_edges, of.edges.size());
  require_array(index, of.index.size(), "index");
  require_array(edges, of.edges.size(), "edges");
  std::copy(of.index.begin(), of.index.end(), index);
  std::copy(of.edges.begin(), of.edges.end(), edges);
}

int topology_call::degree_of(int rank) const {
  const known_graph& of = graph();
  check_rank(rank);
  return static_cast<int>(of.neighbours_of(rank).size());
}

void topology_call::neighbours_of(int rank, int max_neighbours, int neighbours[]) const {
  const known_graph& of = graph();
  check_rank(rank);
  const auto all = of.neighbours_of(rank);
  check_room(max_neighbours, all.size());
  require_array(neighbours, all.size(), "neighbors");
  std::copy(all.begin(), all.end(), neighbours);
}

}  // namespace pure::core
