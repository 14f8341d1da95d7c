/* Datatypes' contents, topologies, attributes and windows (constants.c). */
#include "checked.h"

void contents(void) {
  static const int orders[] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
  static const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int o, d, counts[3], combiner, integers[16], sizes[2] = {8, 6}, parts[2] = {2, 3}, starts[2] = {1, 1};
  const int cyclic[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC}, two_by_two[2] = {2, 2};
  const int by_default_last[2] = {3, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Aint addresses[4];
  MPI_Datatype made, inner;
  for (o = 0; o < 2; ++o) {
    CHECK(MPI_Type_create_subarray(2, sizes, parts, starts, orders[o], MPI_INT, &made) == MPI_SUCCESS);
    CHECK(MPI_Type_get_envelope(made, counts, counts + 1, counts + 2, &combiner) == MPI_SUCCESS &&
          combiner == MPI_COMBINER_SUBARRAY);
    CHECK(MPI_Type_get_contents(made, counts[0], counts[1], counts[2], integers, addresses, &inner) == MPI_SUCCESS);
    CHECK(counts[0] == 8 && integers[0] == 2 && integers[1] == 8 && integers[6] == 1 && integers[7] == orders[o] &&
          inner == MPI_INT);
    MPI_Type_free(&made);
    for (d = 0; d < 3; ++d) {
      const int how[2] = {distributions[d], MPI_DISTRIBUTE_BLOCK}, by[2] = {MPI_DISTRIBUTE_DFLT_DARG, 3};
      const int grid[2] = {distributions[d] == MPI_DISTRIBUTE_NONE ? 1 : 2, 2}, procs = grid[0] * 2;
      CHECK(MPI_Type_create_darray(procs, 1, 2, sizes, how, by, grid, orders[o], MPI_INT, &made) == MPI_SUCCESS);
      CHECK(MPI_Type_get_envelope(made, counts, counts + 1, counts + 2, &combiner) == MPI_SUCCESS &&
            combiner == MPI_COMBINER_DARRAY);
      CHECK(MPI_Type_get_contents(made, counts[0], counts[1], counts[2], integers, addresses, &inner) == MPI_SUCCESS);
      CHECK(counts[0] == 12 && integers[0] == procs && integers[5] == how[0] && integers[6] == how[1] &&
            integers[7] == by[0]);
      CHECK(integers[8] == 3 && integers[9] == grid[0] && integers[11] == orders[o] && inner == MPI_INT);
      MPI_Type_free(&made);
      CHECK(MPI_Type_create_darray(4, 1, 2, sizes, cyclic, by_default_last, two_by_two, orders[o], MPI_INT, &made) ==
            MPI_SUCCESS);
      CHECK(MPI_Type_get_contents(made, 12, 0, 1, integers, addresses, &inner) == MPI_SUCCESS && integers[7] == 3 &&
            integers[8] == MPI_DISTRIBUTE_DFLT_DARG);
      MPI_Type_free(&made);
    }
  }
#define COMBINER(make, is)                                                                                          \
  do {                                                                                                              \
    CHECK(make == MPI_SUCCESS);                                                                                     \
    CHECK(MPI_Type_get_envelope(made, counts, counts + 1, counts + 2, &combiner) == MPI_SUCCESS && combiner == is); \
    MPI_Type_free(&made);                                                                                           \
  } while (0)
  addresses[0] = 0, addresses[1] = 64;
  COMBINER(MPI_Type_dup(MPI_INT, &made), MPI_COMBINER_DUP);
  COMBINER(MPI_Type_vector(2, 1, 3, MPI_INT, &made), MPI_COMBINER_VECTOR);
  COMBINER(MPI_Type_create_hvector(2, 1, 32, MPI_INT, &made), MPI_COMBINER_HVECTOR);
  COMBINER(MPI_Type_indexed(2, parts, starts, MPI_INT, &made), MPI_COMBINER_INDEXED);
  COMBINER(MPI_Type_create_hindexed(2, parts, addresses, MPI_INT, &made), MPI_COMBINER_HINDEXED);
  COMBINER(MPI_Type_create_indexed_block(2, 1, parts, MPI_INT, &made), MPI_COMBINER_INDEXED_BLOCK);
  COMBINER(MPI_Type_create_hindexed_block(2, 1, addresses, MPI_INT, &made), MPI_COMBINER_HINDEXED_BLOCK);
  COMBINER(MPI_Type_create_resized(MPI_INT, 0, 64, &made), MPI_COMBINER_RESIZED);
  {
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    COMBINER(MPI_Type_create_struct(2, parts, addresses, types, &made), MPI_COMBINER_STRUCT);
  }
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &made) == MPI_SUCCESS &&
        MPI_Type_size(made, counts) == MPI_SUCCESS && counts[0] == 8);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &made) == MPI_SUCCESS &&
        MPI_Type_size(made, counts) == MPI_SUCCESS && counts[0] == 4);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &made) == MPI_SUCCESS &&
        MPI_Type_size(made, counts) == MPI_SUCCESS && counts[0] == 8);
}

void topologies(void) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {0}, source, dest, status, weighted = -1, in = -1, out = -1;
  int index[2] = {1, 2}, edges[2] = {1, 0}, neighbour = 1 - rank, back = -5;
  CHECK(MPI_Topo_test(MPI_COMM_WORLD, &status) == MPI_SUCCESS && status == MPI_UNDEFINED);
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made) == MPI_SUCCESS);
  CHECK(MPI_Topo_test(made, &status) == MPI_SUCCESS && status == MPI_CART);
  CHECK(MPI_Cart_shift(made, 0, 1, &source, &dest) == MPI_SUCCESS);
  CHECK(source == (rank == 0 ? MPI_PROC_NULL : 0) && dest == (rank == 0 ? 1 : MPI_PROC_NULL));
  MPI_Comm_free(&made);
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &made) == MPI_SUCCESS);
  CHECK(MPI_Topo_test(made, &status) == MPI_SUCCESS && status == MPI_GRAPH);
  MPI_Comm_free(&made);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbour, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made) == MPI_SUCCESS);
  CHECK(MPI_Topo_test(made, &status) == MPI_SUCCESS && status == MPI_DIST_GRAPH);
  CHECK(MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted) == MPI_SUCCESS && in == 1 && out == 1 &&
        weighted == 0);
  CHECK(MPI_Dist_graph_neighbors(made, 1, &source, MPI_UNWEIGHTED, 1, &dest, MPI_UNWEIGHTED) == MPI_SUCCESS &&
        source == neighbour);
  {
    MPI_Datatype type = MPI_INT;
    MPI_Aint zero = 0;
    int one = 1, mine = rank + 7, got = -1;
    MPI_Request request;
    CHECK(MPI_Neighbor_alltoallw(&mine, &one, &zero, &type, &got, &one, &zero, &type, made) == MPI_SUCCESS &&
          got == neighbour + 7);
    got = -1;
    CHECK(MPI_Ineighbor_alltoallw(&mine, &one, &zero, &type, &got, &one, &zero, &type, made, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == neighbour + 7);
  }
  MPI_Comm_free(&made);
  {
    /* Rank 0 sends to both, and rank 1 to itself: of none as many numbers come as go. */
    const int from[2] = {0, 1}, to[2] = {0, 1}, in_degree = rank + 1, out_degree = 2 - rank;
    struct {
      int number;
      double real;
    } mine = {61 + rank, 62.5 + rank}, got[2] = {{0, 0}, {0, 0}};
    const MPI_Aint of_real = (char*)&mine.real - (char*)&mine, sent[2] = {rank == 0 ? 0 : of_real, of_real};
    const MPI_Aint received[2] = {rank == 0 ? 0 : of_real, (MPI_Aint)sizeof mine + of_real};
    const MPI_Datatype types[2] = {rank == 0 ? MPI_INT : MPI_DOUBLE, MPI_DOUBLE};
    const int ones[2] = {1, 1};
    CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, from, MPI_UNWEIGHTED, out_degree, to + rank,
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made) == MPI_SUCCESS);
    CHECK(MPI_Neighbor_alltoallw(&mine, ones, sent, types, got, ones, received, types, made) == MPI_SUCCESS);
    CHECK(rank == 0 ? got[0].number == 61 && got[0].real == 0 && got[1].real == 0
                    : got[0].number == 0 && got[0].real == 62.5 && got[1].real == 63.5);
    MPI_Comm_free(&made);
  }
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &neighbour, MPI_WEIGHTS_EMPTY, 0, &neighbour,
                                       MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made) == MPI_SUCCESS);
  CHECK(MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted) == MPI_SUCCESS && in == 0 && out == 0 &&
        weighted != 0);
  MPI_Comm_free(&made);
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &back) == MPI_SUCCESS && (back >= 0 || back == MPI_UNDEFINED));
}

/* ---- attributes, with functions of the program and those of MPI ---- */

static int copied, deleted;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  CHECK(comm == MPI_COMM_WORLD && key != MPI_KEYVAL_INVALID && extra == (void*)&copied);
  *(void**)out = (char*)in + 1;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}
static int delete_it(MPI_Comm comm, int key, void* value, void* extra) {
  CHECK(comm != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID && value != NULL && extra == (void*)&copied);
  ++deleted;
  return MPI_SUCCESS;
}
static int refusals;
static int refuse(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return refusals++ == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

void attributes(void) {
  static const struct {
    int key;
    const char* name;
  } of_world[] = {KEYS_OF_WORLD};
  size_t i;
  MPI_Comm made;
  int key = MPI_KEYVAL_INVALID, flag = -1, *value = NULL;
  char here;
  void* found;
  for (i = 0; i < sizeof of_world / sizeof *of_world; ++i) {
    CHECK_OF(of_world[i].name, MPI_Comm_get_attr(MPI_COMM_WORLD, of_world[i].key, &value, &flag) == MPI_SUCCESS);
    if (of_world[i].key == MPI_TAG_UB) CHECK(flag && *value >= 32767);
    if (of_world[i].key == MPI_LASTUSEDCODE) CHECK(flag && *value >= MPI_ERR_LASTCODE);
    if (of_world[i].key == MPI_WTIME_IS_GLOBAL) CHECK(flag && (*value == 0 || *value == 1));
    if (of_world[i].key == MPI_UNIVERSE_SIZE && flag) CHECK(*value >= 1);
    if (of_world[i].key == MPI_HOST && flag) CHECK(*value == MPI_PROC_NULL || (*value >= 0 && *value < ranks));
    if (of_world[i].key == MPI_IO && flag) CHECK(*value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL || *value == rank);
  }
  CHECK(MPI_Comm_create_keyval(copy, delete_it, &key, &copied) == MPI_SUCCESS && key != MPI_KEYVAL_INVALID);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &here) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &made) == MPI_SUCCESS && copied == 1);
  CHECK(MPI_Comm_get_attr(made, key, &found, &flag) == MPI_SUCCESS && flag && found == &here + 1);
  CHECK(MPI_Comm_free(&made) == MPI_SUCCESS && deleted == 1);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS && deleted == 2);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
  CHECK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL) == MPI_SUCCESS);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &here);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  CHECK(MPI_Comm_get_attr(made, key, &found, &flag) == MPI_SUCCESS && flag && found == &here);
  MPI_Comm_free(&made);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL) == MPI_SUCCESS);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &here);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  CHECK(MPI_Comm_get_attr(made, key, &found, &flag) == MPI_SUCCESS && !flag);
  MPI_Comm_free(&made);
  {
    int code = MPI_Comm_delete_attr(MPI_COMM_WORLD, key), class = -1;
    CHECK(code != MPI_SUCCESS && MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_OTHER);
  }
}

/* ---- windows ---- */

void windows(void) {
  static const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                                MPI_WIN_FLAVOR_SHARED};
  int i, *memory = NULL, own[4], flag, other = 1 - rank;
  void* value;
  for (i = 0; i < 4; ++i) {
    MPI_Win win = MPI_WIN_NULL;
    if (i == 0) CHECK(MPI_Win_create(own, sizeof own, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
    if (i == 1) CHECK(MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win) == MPI_SUCCESS);
    if (i == 2) CHECK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
    if (i == 3) CHECK(MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win) == MPI_SUCCESS);
    CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win && win != MPI_WIN_NULL);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag) == MPI_SUCCESS && flag &&
          *(int*)value == flavors[i]);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag) == MPI_SUCCESS && flag);
    CHECK(*(int*)value == MPI_WIN_UNIFIED || *(int*)value == MPI_WIN_SEPARATE);
    CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag) == MPI_SUCCESS && flag &&
          *(MPI_Aint*)value == (i == 2 ? 0 : 16));
    CHECK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag) == MPI_SUCCESS && flag &&
          *(int*)value == (i == 2 ? 1 : 4));
    CHECK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag) == MPI_SUCCESS && flag);
    if (i < 2) {
      int* const mine = i == 0 ? own : memory;
      int sent = 50 + rank, got = -1;
      CHECK(value == mine);
      mine[0] = mine[1] = 0;
      CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win) == MPI_SUCCESS);
      CHECK(MPI_Put(&sent, 1, MPI_INT, other, 0, 1, MPI_INT, win) == MPI_SUCCESS);
      CHECK(MPI_Put(&sent, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win) == MPI_SUCCESS);
      CHECK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win) == MPI_SUCCESS &&
            mine[0] == 50 + other);
      CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, MPI_MODE_NOCHECK * 0, win) == MPI_SUCCESS);
      CHECK(MPI_Fetch_and_op(&sent, &got, MPI_INT, other, 1, MPI_REPLACE, win) == MPI_SUCCESS);
      CHECK(MPI_Win_unlock(other, win) == MPI_SUCCESS && got == 0);
      CHECK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win) == MPI_SUCCESS);
      CHECK(MPI_Fetch_and_op(NULL, &got, MPI_INT, other, 1, MPI_NO_OP, win) == MPI_SUCCESS);
      CHECK(MPI_Win_unlock(other, win) == MPI_SUCCESS && got == 50 + rank);
    }
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS && win == MPI_WIN_NULL);
  }
}
