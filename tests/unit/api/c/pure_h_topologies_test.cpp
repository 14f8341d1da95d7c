// pure.h, topologies and collectives of neighbours. What grids and graphs are is tested below, in
// tests/unit/objects/process_topology_test.cpp; here, that each function says it, and refuses what is wrong.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

/// 2 x 3, of which the second dimension is periodic.
pure_comm made_grid() {
  const int dims[] = {2, 3}, periods[] = {0, 1};
  pure_comm grid = PURE_COMM_NULL;
  EXPECT_OK(pure_cart_create(world, 2, dims, periods, 0, &grid));
  return grid;
}

/// Each array by the name of its side; blocks whose places are no numbers. On a grid of two dimensions.
void expect_refused_exchanges(pure_comm grid) {
  const int ones[] = {1, 1, 1, 1}, places[] = {0, 1, 2, 3};
  const std::int64_t far[] = {0, 0, 0, std::numeric_limits<std::int64_t>::max() / 4 + 1};
  const pure_datatype types[] = {PURE_INT, PURE_INT, PURE_INT, PURE_INT}, wrong[] = {PURE_INT, PURE_INT, PURE_INT, {}};
  int x[4] = {}, y[4] = {};
  const auto alltoallv = [&](pure_number_array counts, pure_number_array displs, pure_number_array recv_counts,
                             pure_number_array recv_displs) {
    return pure_neighbor_alltoallv(x, counts, displs, PURE_INT, y, recv_counts, recv_displs, PURE_INT, grid);
  };
  expect_error(alltoallv(nullptr, places, ones, places), PURE_ERR_ARG, {"`send_counts`"});
  expect_error(alltoallv(ones, nullptr, ones, places), PURE_ERR_ARG, {"`send_displs`"});
  expect_error(alltoallv(ones, places, nullptr, places), PURE_ERR_ARG, {"`recv_counts`"});
  expect_error(alltoallv(ones, places, ones, nullptr), PURE_ERR_ARG, {"`recv_displs`"});
  expect_error(alltoallv(ones, far, ones, places), PURE_ERR_ARG, {"too far"});
  expect_error(pure_neighbor_allgatherv(x, 1, PURE_INT, y, ones, nullptr, PURE_INT, grid), PURE_ERR_ARG, {"`displs`"});
  expect_error(pure_neighbor_alltoallw(x, ones, places, nullptr, y, ones, places, types, grid), PURE_ERR_ARG,
               {"`send_types`"});
  expect_error(pure_neighbor_alltoallw(x, ones, places, types, y, ones, places, wrong, grid), PURE_ERR_TYPE,
               {"recv_types[3]"});
}

TEST(pure_h_topologies, a_grid) {
  on_ranks(7, [](int me) {
    pure_comm grid = made_grid();
    ASSERT_EQ(grid == PURE_COMM_NULL, me == 6);
    if (me == 6) return;
    int kind = 0, ndims = 0;
    EXPECT_OK(pure_topo_test(grid, &kind));
    EXPECT_OK(pure_cartdim_get(grid, &ndims));
    EXPECT_TRUE(kind == PURE_CART && ndims == 2);
    std::array<int, 2> dims{}, periods{}, coords{}, place{};
    EXPECT_OK(pure_cart_get(grid, 2, dims.data(), periods.data(), coords.data()));
    EXPECT_EQ(dims, (std::array{2, 3}));
    EXPECT_EQ(periods, (std::array{0, 1}));
    EXPECT_EQ(coords, (std::array{me / 3, me % 3}));
    for (int r = 0; r < 6; ++r) {
      int rank = -1;
      EXPECT_OK(pure_cart_coords(grid, r, 2, place.data()));
      EXPECT_EQ(place, (std::array{r / 3, r % 3}));
      place[1] += 3;  // round the periodic dimension
      EXPECT_OK(pure_cart_rank(grid, place.data(), &rank));
      EXPECT_EQ(rank, r);
    }
    int from = -9, to = -9;
    EXPECT_OK(pure_cart_shift(grid, 0, 1, &from, &to));
    EXPECT_EQ(from, me < 3 ? int{PURE_PROC_NULL} : me - 3);
    EXPECT_EQ(to, me < 3 ? me + 3 : int{PURE_PROC_NULL});
    EXPECT_OK(pure_cart_shift(grid, 1, -1, &from, &to));
    EXPECT_EQ(from, me / 3 * 3 + (me + 1) % 3);
    EXPECT_EQ(to, me / 3 * 3 + (me + 2) % 3);

    // A row of it is a grid again; so is a duplicate, and a communicator after it is none.
    const int remain[] = {0, 1};
    pure_comm row = PURE_COMM_NULL, copy = PURE_COMM_NULL;
    EXPECT_OK(pure_cart_sub(grid, remain, &row));
    int rank = -1, size = -1;
    EXPECT_OK(pure_comm_rank(row, &rank));
    EXPECT_OK(pure_comm_size(row, &size));
    EXPECT_TRUE(rank == me % 3 && size == 3);
    EXPECT_OK(pure_cartdim_get(row, &ndims));
    EXPECT_EQ(ndims, 1);
    EXPECT_OK(pure_comm_dup(row, &copy));
    EXPECT_OK(pure_comm_free(&row));
    EXPECT_OK(pure_cart_get(copy, 1, dims.data(), periods.data(), coords.data()));
    EXPECT_TRUE(dims[0] == 3 && periods[0] == 1 && coords[0] == me % 3);
    EXPECT_OK(pure_comm_free(&copy));
    EXPECT_OK(pure_comm_split(grid, 0, me, &copy));
    EXPECT_OK(pure_topo_test(copy, &kind));
    EXPECT_EQ(kind, PURE_UNDEFINED);
    EXPECT_OK(pure_comm_free(&copy));
    EXPECT_OK(pure_comm_free(&grid));
  });
}

TEST(pure_h_topologies, what_is_wrong) {
  on_ranks(2, [](int me) {
    int dims[] = {2, 1}, periods[] = {0, 0}, coords[] = {5, 0}, got = 0, other = 0;
    pure_comm made = PURE_COMM_NULL;
    expect_error(pure_cart_rank(world, coords, &got), PURE_ERR_TOPOLOGY, {"Cartesian"});
    expect_error(pure_graph_neighbors_count(world, 0, &got), PURE_ERR_TOPOLOGY, {"graph"});
    expect_error(pure_neighbor_alltoall(dims, 1, PURE_INT, coords, 1, PURE_INT, world), PURE_ERR_TOPOLOGY, {});
    // What is wrong on one rank is the error of all.
    dims[0] = me == 0 ? -1 : 2;
    EXPECT_EQ(pure_cart_create(world, 2, dims, periods, 0, &made), PURE_ERR_DIMS);
    dims[0] = me == 0 ? 0 : 2;  // a grid of nobody, as the one rank says
    made = world;
    EXPECT_EQ(pure_cart_create(world, 2, dims, periods, 0, &made), me == 0 ? PURE_SUCCESS : PURE_ERR_MISMATCH);
    dims[0] = 0;
    dims[1] = 1000;
    made = world;
    EXPECT_OK(pure_cart_create(world, 2, dims, periods, 0, &made));
    EXPECT_EQ(made, PURE_COMM_NULL);
    dims[1] = 1;
    dims[0] = 3;
    EXPECT_EQ(pure_cart_create(world, 2, dims, periods, 0, &made), PURE_ERR_TOPOLOGY);
    EXPECT_EQ(pure_cart_create(world, -1, dims, periods, 0, &made), PURE_ERR_DIMS);
    dims[0] = 2;
    EXPECT_EQ(pure_cart_create(world, 2, dims, periods, 0, me == 1 ? nullptr : &made), PURE_ERR_ARG);
    EXPECT_OK(pure_cart_create(world, 2, dims, periods, 0, &made));
    expect_error(pure_cart_rank(made, coords, &got), PURE_ERR_ARG, {"outside the grid"});
    expect_error(pure_cart_coords(made, 2, 2, coords), PURE_ERR_RANK, {"no rank 2"});
    expect_error(pure_cart_coords(made, 1, 1, coords), PURE_ERR_ARG, {"room for 1"});
    expect_error(pure_cart_shift(made, 2, 1, &got, &other), PURE_ERR_DIMS, {"dimension 2"});
    expect_error(pure_neighbor_allgather(PURE_IN_PLACE, 1, PURE_INT, coords, 1, PURE_INT, made), PURE_ERR_BUFFER,
                 {"PURE_IN_PLACE"});
    expect_refused_exchanges(made);
    EXPECT_OK(pure_comm_free(&made));
    int open[] = {0, 5, 0};
    expect_error(pure_dims_create(12, 3, open), PURE_ERR_DIMS, {});
    open[1] = 3;
    EXPECT_OK(pure_dims_create(12, 3, open));
    EXPECT_TRUE(open[0] == 2 && open[1] == 3 && open[2] == 2);
  });
}

TEST(pure_h_topologies, neighbours_in_a_grid) {
  on_ranks(6, [](int me) {
    pure_comm grid = made_grid();
    const int up = me - 3, down = me + 3, left = me / 3 * 3 + (me + 2) % 3, right = me / 3 * 3 + (me + 1) % 3;
    const std::array<int, 4> around{up, down, left, right};
    const auto is_there = [](int r) { return r >= 0 && r < 6; };
    std::array<int, 4> got{-1, -1, -1, -1};
    EXPECT_OK(pure_neighbor_allgather(&me, 1, PURE_INT, got.data(), 1, PURE_INT, grid));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got[i], is_there(around[i]) ? around[i] : -1);

    // Block i goes to neighbour i, whose block it is from there: up is down.
    const std::array<int, 4> sent{10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3};
    const auto expect_from_all = [&](const std::array<int, 4>& has) {
      constexpr std::array<int, 4> opposite{1, 0, 3, 2};
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(has[i], is_there(around[i]) ? 10 * around[i] + opposite[i] : -1);
    };
    got.fill(-1);
    EXPECT_OK(pure_neighbor_alltoall(sent.data(), 1, PURE_INT, got.data(), 1, PURE_INT, grid));
    expect_from_all(got);

    // With int and 64-bit arrays, not blocking and persistent; and with derived types, in bytes.
    const int ones[] = {1, 1, 1, 1}, places[] = {0, 1, 2, 3};
    const std::int64_t bytes[] = {0, 4, 8, 12};
    pure_request request = PURE_REQUEST_NULL;
    got.fill(-1);
    EXPECT_OK(pure_ineighbor_alltoallv(sent.data(), ones, places, PURE_INT, got.data(), ones, places, PURE_INT, grid,
                                       &request));
    EXPECT_OK(pure_wait(&request));
    expect_from_all(got);
    pure_datatype four_bytes = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_contiguous(4, PURE_BYTE, &four_bytes));
    const pure_datatype types[] = {four_bytes, four_bytes, four_bytes, four_bytes};
    EXPECT_OK(
        pure_neighbor_alltoallw_init(sent.data(), ones, bytes, types, got.data(), ones, bytes, types, grid, &request));
    for (int i = 0; i < 2; ++i) {
      got.fill(-1);
      EXPECT_OK(pure_start(&request));
      EXPECT_OK(pure_wait(&request));
      expect_from_all(got);
    }
    EXPECT_OK(pure_request_free(&request));
    EXPECT_OK(pure_type_free(&four_bytes));
    EXPECT_OK(pure_comm_free(&grid));
  });
}

TEST(pure_h_topologies, graphs) {
  on_ranks(3, [](int me) {
    // A path 0 - 1 - 2, known to all.
    const int index[] = {1, 3, 4}, edges[] = {1, 0, 2, 1};
    pure_comm path = PURE_COMM_NULL;
    EXPECT_OK(pure_graph_create(world, 3, index, edges, 0, &path));
    int kind = 0, nodes = 0, count = 0, degree = 0;
    EXPECT_OK(pure_topo_test(path, &kind));
    EXPECT_OK(pure_graphdims_get(path, &nodes, &count));
    EXPECT_OK(pure_graph_neighbors_count(path, 1, &degree));
    EXPECT_TRUE(kind == PURE_GRAPH && nodes == 3 && count == 4 && degree == 2);
    int around[2] = {-1, -1}, got[2] = {-1, -1}, all_index[3], all_edges[4];
    EXPECT_OK(pure_graph_neighbors(path, 1, 2, around));
    EXPECT_TRUE(around[0] == 0 && around[1] == 2);
    EXPECT_OK(pure_graph_get(path, 3, 4, all_index, all_edges));
    EXPECT_TRUE(all_index[2] == 4 && all_edges[2] == 2);
    EXPECT_OK(pure_neighbor_allgather(&me, 1, PURE_INT, got, 1, PURE_INT, path));
    EXPECT_TRUE(me == 1 ? got[0] == 0 && got[1] == 2 : got[0] == 1 && got[1] == -1);
    EXPECT_OK(pure_comm_free(&path));

    // A ring, told by rank 0 alone; and the same by each of its own edges, with weights.
    const int all[] = {0, 1, 2}, ones[] = {1, 1, 1}, next[] = {1, 2, 0};
    pure_comm ring = PURE_COMM_NULL;
    EXPECT_OK(
        pure_dist_graph_create(world, me == 0 ? 3 : 0, all, ones, next, PURE_UNWEIGHTED, PURE_INFO_NULL, 0, &ring));
    int in = 0, out = 0, weighted = -1;
    EXPECT_OK(pure_dist_graph_neighbors_count(ring, &in, &out, &weighted));
    EXPECT_TRUE(in == 1 && out == 1 && weighted == 0);
    const int before = (me + 2) % 3, after = (me + 1) % 3, weight_in = 10 + before, weight_out = 10 + me;
    got[0] = -1;
    EXPECT_OK(pure_neighbor_alltoall(&me, 1, PURE_INT, got, 1, PURE_INT, ring));
    EXPECT_EQ(got[0], before);
    EXPECT_OK(pure_comm_free(&ring));
    // Who tells no edges has no weights, either.
    const int weights[] = {20, 21, 22};
    EXPECT_OK(pure_dist_graph_create(world, me == 0 ? 3 : 0, all, ones, next, me == 0 ? weights : nullptr,
                                     PURE_INFO_NULL, 0, &ring));
    int told_source = -1, told_in = -1, told_destination = -1, told_out = -1;
    EXPECT_OK(pure_dist_graph_neighbors_count(ring, &in, &out, &weighted));
    EXPECT_OK(pure_dist_graph_neighbors(ring, 1, &told_source, &told_in, 1, &told_destination, &told_out));
    EXPECT_TRUE(weighted == 1 && told_source == before && told_in == 20 + before && told_out == 20 + me);
    EXPECT_OK(pure_comm_free(&ring));
    EXPECT_OK(pure_dist_graph_create_adjacent(world, 1, &before, &weight_in, 1, &after, &weight_out, PURE_INFO_NULL, 0,
                                              &ring));
    int source = -1, source_weight = -1, destination = -1, destination_weight = -1;
    EXPECT_OK(pure_dist_graph_neighbors(ring, 1, &source, &source_weight, 1, &destination, &destination_weight));
    EXPECT_TRUE(source == before && source_weight == weight_in && destination == after &&
                destination_weight == 10 + me);
    EXPECT_OK(pure_comm_free(&ring));
    const int to_no_node[] = {1, 3, 2, 1};
    EXPECT_EQ(pure_graph_create(world, 3, index, me == 2 ? to_no_node : edges, 0, &path), PURE_ERR_TOPOLOGY);
  });
}

}  // namespace
