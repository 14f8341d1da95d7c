// Virtual topologies: places in grids, neighbours, and grids that are made as square as can be.
#include "objects/process_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "match/status.hpp"

namespace {

using namespace pure::core;

TEST(process_topology, ranks_and_coordinates_belong_together) {
  const cartesian_grid grid{{3, 2, 4}, {true, false, true}};
  for (int rank = 0; rank < 24; ++rank) {
    const std::vector<int> coords = grid.coords_of(rank);
    EXPECT_EQ(coords[0] * 8 + coords[1] * 4 + coords[2], rank);
    EXPECT_EQ(grid.rank_at(coords), rank);
    const std::vector<int> round{coords[0] - 3, coords[1], coords[2] + 8};
    EXPECT_EQ(grid.rank_at(round), rank);
    const std::vector<int> outside{coords[0], coords[1] + 2, coords[2]};
    EXPECT_EQ(grid.rank_at(outside), proc_null);
  }
}

TEST(process_topology, shifts_end_where_a_dimension_does) {
  const cartesian_grid grid{{3, 2}, {true, false}};
  EXPECT_EQ(grid.shifted(0, 0, -1), 4);
  EXPECT_EQ(grid.shifted(0, 0, 7), 2);
  EXPECT_EQ(grid.shifted(0, 1, 1), 1);
  EXPECT_EQ(grid.shifted(0, 1, -1), proc_null);
  EXPECT_EQ(grid.shifted(0, 1, 2), proc_null);
}

/// Of every rank, what it sends to its k-th destination arrives where that rank receives from it with that tag.
void expect_that_ends_meet(const process_topology& of, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    for (const neighbour& to : of.destinations_of(rank)) {
      if (to.rank == proc_null) continue;
      const auto sources = of.sources_of(to.rank);
      const auto meets = [&](const neighbour& from) { return from.rank == rank && from.tag == to.tag; };
      EXPECT_EQ(std::count_if(sources.begin(), sources.end(), meets), 1) << rank << " to " << to.rank;
    }
  }
}

TEST(process_topology, what_goes_down_in_a_grid_comes_from_above) {
  for (const int length : {1, 2, 3}) {
    const process_topology of(cartesian_grid{{length, 2}, {true, true}});
    expect_that_ends_meet(of, 2 * length);
    EXPECT_EQ(of.sources_of(0).size(), 4U);
  }
}

TEST(process_topology, a_graph_has_the_edges_of_its_index) {
  const process_topology of(known_graph{{2, 3, 3}, {1, 2, 0}});
  EXPECT_EQ(of.graph().neighbours_of(0).size(), 2U);
  EXPECT_EQ(of.graph().neighbours_of(1)[0], 0);
  EXPECT_TRUE(of.graph().neighbours_of(2).empty());
  EXPECT_EQ(of.destinations_of(0)[1].rank, 2);
}

/// By looking at all factorizations.
int least_spread(int number, int factors, int largest, int smallest) {
  if (factors == 0) return number == 1 ? largest - smallest : -1;
  int best = -1;
  for (int each = 1; each <= number; ++each) {
    if (number % each != 0) continue;
    const int found = least_spread(number / each, factors - 1, std::max(largest, each), std::min(smallest, each));
    if (found >= 0 && (best < 0 || found < best)) best = found;
  }
  return best;
}

TEST(process_topology, dimensions_are_as_close_as_can_be) {
  for (const int number : {1, 2, 7, 12, 36, 60, 97, 128, 210, 360}) {
    for (const int factors : {1, 2, 3, 4}) {
      std::vector<int> dims(static_cast<std::size_t>(factors));
      ASSERT_TRUE(fill_dims(number, dims));
      EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), number);
      EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
      EXPECT_EQ(dims.front() - dims.back(), least_spread(number, factors, 0, number)) << number << " " << factors;
    }
  }
}

TEST(process_topology, given_dimensions_stay) {
  std::vector<int> dims{0, 3, 0};
  EXPECT_TRUE(fill_dims(24, dims));
  EXPECT_EQ(dims, (std::vector<int>{4, 3, 2}));
  dims = {0, 5};
  EXPECT_FALSE(fill_dims(24, dims));
  dims = {3, 8};
  EXPECT_TRUE(fill_dims(24, dims));
  EXPECT_FALSE(fill_dims(25, dims));
  EXPECT_FALSE(fill_dims(12, dims));
}

}  // namespace
