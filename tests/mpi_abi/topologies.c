/* Grids, graphs, and collectives among neighbours. */
#include "check.h"

static void dims(void) {
  int all[3] = {0, 0, 0}, some[3] = {0, 3, 0}, one[1] = {0}, wrong[2] = {0, 4};
  DO(MPI_Dims_create(24, 3, all));
  CHECK(all[0] == 4 && all[1] == 3 && all[2] == 2);
  DO(MPI_Dims_create(12, 3, some));
  CHECK(some[0] == 2 && some[1] == 3 && some[2] == 2);
  DO(MPI_Dims_create(7, 1, one));
  CHECK(one[0] == 7);
  CHECK(MPI_Dims_create(6, 2, wrong) != MPI_SUCCESS);
}

static void grid(void) {
  int sizes[2] = {size, 1}, periods[2] = {1, 0}, got_sizes[2], got_periods[2], coords[2], value, source, dest;
  int remain[2] = {0, 1};
  MPI_Comm cart, dup, row;
  DO(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &cart));
  DO(MPI_Topo_test(cart, &value));
  CHECK(value == MPI_CART);
  DO(MPI_Topo_test(MPI_COMM_WORLD, &value));
  CHECK(value == MPI_UNDEFINED);
  DO(MPI_Cartdim_get(cart, &value));
  CHECK(value == 2);
  DO(MPI_Comm_dup(cart, &dup)); /* has the topology, too */
  DO(MPI_Cart_get(dup, 2, got_sizes, got_periods, coords));
  CHECK(got_sizes[0] == size && got_sizes[1] == 1 && got_periods[0] && !got_periods[1] && coords[1] == 0);
  DO(MPI_Cart_rank(cart, coords, &value));
  DO(MPI_Comm_rank(cart, &source));
  CHECK(value == source);
  coords[0] += size; /* comes round */
  DO(MPI_Cart_rank(cart, coords, &value));
  CHECK(value == source);
  DO(MPI_Cart_coords(cart, size - 1, 2, coords));
  CHECK(coords[0] == size - 1 && coords[1] == 0);
  DO(MPI_Cart_shift(cart, 0, 1, &source, &dest));
  CHECK(source == (rank + size - 1) % size && dest == (rank + 1) % size);
  DO(MPI_Cart_shift(cart, 1, 1, &source, &dest));
  CHECK(source == MPI_PROC_NULL && dest == MPI_PROC_NULL);
  DO(MPI_Cart_sub(cart, remain, &row));
  DO(MPI_Comm_size(row, &value));
  CHECK(value == 1);
  DO(MPI_Cartdim_get(row, &value));
  CHECK(value == 1);
  {
    /* Down, up; then nobody twice. What goes down comes from above, also where both are one rank. */
    int sent[4] = {10 * rank, 10 * rank + 1, -7, -7}, got[4] = {-1, -1, -1, -1};
    const int below = (rank + size - 1) % size, above = (rank + 1) % size;
    DO(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, cart));
    CHECK(got[0] == 10 * below + 1 && got[1] == 10 * above && got[2] == -1 && got[3] == -1);
    DO(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, cart));
    CHECK(got[0] == below && got[1] == above && got[3] == -1);
  }
  DO(MPI_Comm_free(&row));
  DO(MPI_Comm_free(&dup));
  DO(MPI_Comm_free(&cart));
  sizes[0] = size + 1;
  cart = MPI_COMM_SELF;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart) != MPI_SUCCESS && cart == MPI_COMM_NULL);
#ifdef PURE_MPI_H
  FAILS(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart), MPI_ERR_TOPOLOGY);
#endif
  sizes[0] = 1;
  DO(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart));
  CHECK((cart == MPI_COMM_NULL) == (rank > 0));
  if (rank == 0) DO(MPI_Comm_free(&cart));
}

/* A ring as a graph that all know. */
static void graph(void) {
  int index[64], edges[128], value, other, neighbors[2];
  MPI_Comm ring;
  for (int r = 0; r < size; ++r) {
    index[r] = 2 * (r + 1);
    edges[2 * r] = (r + size - 1) % size;
    edges[2 * r + 1] = (r + 1) % size;
  }
  DO(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring));
  DO(MPI_Graphdims_get(ring, &value, &other));
  CHECK(value == size && other == 2 * size);
  DO(MPI_Graph_neighbors_count(ring, rank, &value));
  CHECK(value == 2);
  DO(MPI_Graph_neighbors(ring, rank, 2, neighbors));
  CHECK(neighbors[0] == (rank + size - 1) % size && neighbors[1] == (rank + 1) % size);
  DO(MPI_Comm_free(&ring));
}

/* Everybody sends to the next rank, and twice to the one after. */
static void distributed(void) {
  const int next = (rank + 1) % size, second = (rank + 2) % size, before = (rank + size - 1) % size;
  const int two_before = (rank + 2 * size - 2) % size;
  int sources[3] = {two_before, before, two_before}, destinations[3] = {next, second, second}, weights[3] = {1, 2, 3};
  int in, out, weighted, got_sources[3], got_destinations[3], got_weights[3], more[3], counts[3] = {1, 0, 1}, places[3] = {2, 0, 1};
  int sent[3] = {100 * rank, 100 * rank + 1, 100 * rank + 2}, got[3] = {-1, -1, -1};
  MPI_Comm comm;
  MPI_Request request;
  DO(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, weights, 3, destinations, weights, MPI_INFO_NULL, 0, &comm));
  DO(MPI_Topo_test(comm, &in));
  CHECK(in == MPI_DIST_GRAPH);
  DO(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  CHECK(in == 3 && out == 3 && weighted);
  DO(MPI_Dist_graph_neighbors(comm, 3, got_sources, got_weights, 3, got_destinations, more));
  for (int i = 0; i < 3; ++i)
    CHECK(got_sources[i] == sources[i] && got_destinations[i] == destinations[i] && got_weights[i] == i + 1 && more[i] == i + 1);
  if (size > 2) { /* so that the order of edges from one rank is that of its list */
    for (int times = 0; times < 3; ++times) {
      got[0] = got[1] = got[2] = -1;
      if (times == 0) {
        DO(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm));
      } else if (times == 1) {
        DO(MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm, &request));
        DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
#if MPI_VERSION >= 4
      } else {
        DO(MPI_Neighbor_alltoall_init(sent, 1, MPI_INT, got, 1, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int start = 0; start < 2; ++start) {
          DO(MPI_Start(&request));
          DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        DO(MPI_Request_free(&request));
#else
      } else {
        break;
#endif
      }
      CHECK(got[0] == 100 * two_before + 1 && got[1] == 100 * before && got[2] == 100 * two_before + 2);
    }
    got[0] = got[1] = got[2] = -1;
    (void)counts, (void)places;
    DO(MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, got, (int[]){1, 1, 1}, (int[]){2, 0, 1}, MPI_INT, comm));
    CHECK(got[2] == two_before && got[0] == before && got[1] == two_before);
  }
  DO(MPI_Comm_free(&comm));

  { /* the same from edges that other ranks tell: rank 0 knows them all */
    int nodes[64], degrees[64], all[128], weights[128], got_weights[2];
    for (int r = 0; r < size; ++r) {
      nodes[r] = r;
      degrees[r] = 2;
      all[2 * r] = (r + 1) % size;
      all[2 * r + 1] = (r + 2) % size;
    }
    DO(MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, nodes, degrees, all, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    DO(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    CHECK(in == 2 && out == 2 && !weighted);
    DO(MPI_Dist_graph_neighbors(comm, 2, got_sources, MPI_UNWEIGHTED, 2, got_destinations, MPI_UNWEIGHTED));
    CHECK(got_destinations[0] == next || got_destinations[1] == next);
    DO(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm));
    CHECK(got[0] == got_sources[0] && got[1] == got_sources[1]);
    DO(MPI_Comm_free(&comm));
    /* Arrays of nothing may be null, also that of the weights. */
    for (int i = 0; i < 2 * size; ++i) weights[i] = 10 + i;
    if (rank == 0) {
      DO(MPI_Dist_graph_create(MPI_COMM_WORLD, size, nodes, degrees, all, weights, MPI_INFO_NULL, 0, &comm));
    } else {
      DO(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, NULL, MPI_INFO_NULL, 0, &comm));
    }
    DO(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    CHECK(in == 2 && out == 2 && weighted);
    DO(MPI_Dist_graph_neighbors(comm, 2, got_sources, got, 2, got_destinations, got_weights));
    for (int i = 0; i < 2; ++i) CHECK(all[got_weights[i] - 10] == got_destinations[i]);
    for (int i = 0; i < 2; ++i) CHECK(all[got[i] - 10] == rank && (got[i] - 10) / 2 == got_sources[i]);
    DO(MPI_Comm_free(&comm));
  }
}

/* Displacements in bytes may be addresses. */
static void by_address(void) {
  MPI_Datatype spaced;
  MPI_Comm ring;
  int out[2] = {100 * rank, 100 * rank + 1}, in[2], one_each[2] = {1, 1}, periodic = 1;
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  DO(MPI_Type_create_resized(MPI_INT, 0, 12, &spaced));
  DO(MPI_Type_commit(&spaced));
  DO(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
  for (int is_spaced = 0; is_spaced < 2; ++is_spaced) {
    MPI_Datatype types[64];
    MPI_Aint from[2], to[2];
    for (int i = 0; i < 64; ++i) types[i] = is_spaced ? spaced : MPI_INT;
    for (int i = 0; i < 2; ++i) {
      in[i] = -1;
      DO(MPI_Get_address(&out[i], &from[i]));
      DO(MPI_Get_address(&in[i], &to[i]));
    }
    DO(MPI_Neighbor_alltoallw(MPI_BOTTOM, one_each, from, types, MPI_BOTTOM, one_each, to, types, ring));
    CHECK(in[0] == 100 * before + 1 && in[1] == 100 * after);
#if MPI_VERSION >= 4
    int sent[64], got[64];
    MPI_Count counts[64];
    MPI_Aint places[64], addresses[64];
    for (int r = 0; r < size; ++r) {
      sent[r] = 100 * rank + r;
      got[r] = -1;
      counts[r] = 1;
      places[r] = (MPI_Aint)(r * sizeof(int));
      DO(MPI_Get_address(&got[r], &addresses[r]));
    }
    DO(MPI_Alltoallw_c(sent, counts, places, types, MPI_BOTTOM, counts, addresses, types, MPI_COMM_WORLD));
    for (int r = 0; r < size; ++r) CHECK(got[r] == 100 * r + rank);
#endif
#ifdef PURE_MPI_H
    int one_of_each[64], behind[64]; /* ints are no addresses */
    for (int r = 0; r < size; ++r) {
      one_of_each[r] = 1;
      behind[r] = 4 * (r + 1);
    }
    FAILS(MPI_Neighbor_alltoall(NULL, 1, types[0], in, 1, types[0], ring), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallw(NULL, one_of_each, behind, types, got, one_of_each, behind, types, MPI_COMM_WORLD),
          MPI_ERR_BUFFER);
#endif
  }
  DO(MPI_Comm_free(&ring));
  DO(MPI_Type_free(&spaced));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  DO(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  dims();
  grid();
  graph();
  distributed();
  by_address();
  return end();
}
