/* Random topologies: grids, graphs and distributed graphs, what is asked of them, and neighbourhood collectives of all
 * kinds and forms on them. */
#include "random_forms.h"

enum { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, KINDS, MOST_NEIGHBOURS = MOST_RANKS };

/* The neighbours of a rank, and which edge it is of the whole graph: both ends of an edge make the same choices. */
typedef struct {
  MPI_Comm over;
  int sources, destinations, from[MOST_NEIGHBOURS], to[MOST_NEIGHBOURS], from_edge[MOST_NEIGHBOURS],
      to_edge[MOST_NEIGHBOURS];
} neighbourhood;

/* A rank, for choices. */
static int named(int neighbour) { return neighbour == MPI_PROC_NULL ? 900 : neighbour; }

/* ---- grids ---- */

static void ask_grid(choices* by, MPI_Comm grid, int dimensions) {
  int n = -1, dims[3] = {0}, periods[3] = {0}, coordinates[3] = {0}, there[3], remain[3], rank_there = -1, kind = -1,
      low = -7, high = -7, members;
  DO(MPI_Topo_test(grid, &kind));
  DO(MPI_Cartdim_get(grid, &n));
  DO(MPI_Cart_get(grid, dimensions, dims, periods, coordinates));
  say("grid %d of %d: %d %d %d, periods %d %d %d, at %d %d %d", kind == MPI_CART, n, dims[0], dims[1], dims[2],
      periods[0] != 0, periods[1] != 0, periods[2] != 0, coordinates[0], coordinates[1], coordinates[2]);
  DO(MPI_Comm_size(grid, &members));
  for (int i = 0; i < dimensions; ++i) there[i] = periods[i] ? between(by, -9, 9) : below(by, dims[i]);
  DO(MPI_Cart_rank(grid, there, &rank_there));
  DO(MPI_Cart_coords(grid, below(by, members), dimensions, coordinates));
  say("there %d, another at %d %d %d", rank_there, coordinates[0], coordinates[1], coordinates[2]);
  const int direction = below(by, dimensions), distance = between(by, -3, 3);
  DO(MPI_Cart_shift(grid, direction, distance, &low, &high));
  say("shift %d: %d %d", distance, low == MPI_PROC_NULL ? -1 : low, high == MPI_PROC_NULL ? -1 : high);
  for (int i = 0; i < dimensions; ++i) remain[i] = chance(by, 50);
  MPI_Comm part;
  DO(MPI_Cart_sub(grid, remain, &part));
  int sum = 0, part_members = 0;
  DO(MPI_Comm_size(part, &part_members));
  DO(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part));
  say("part of %d, sum %d", part_members, sum);
  DO(MPI_Comm_free(&part));
}

/* A grid of some of the ranks; `of` is empty in the others. */
static bool make_grid(choices* by, neighbourhood* of) {
  const int dimensions = between(by, 1, 3), members = between(by, 1, size);
  int dims[3] = {0, 0, 0}, periods[3], own;
  for (int i = 0; i < dimensions; ++i) periods[i] = chance(by, 50);
  DO(MPI_Dims_create(members, dimensions, dims));
  say("dimensions of %d: %d %d %d", members, dims[0], dims[1], dims[2]);
  DO(MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &of->over));
  if (of->over == MPI_COMM_NULL) {
    say("not in it");
    return false;
  }
  ask_grid(by, of->over, dimensions);
  DO(MPI_Comm_rank(of->over, &own));
  of->sources = of->destinations = 2 * dimensions;
  for (int d = 0; d < dimensions; ++d) {
    DO(MPI_Cart_shift(of->over, d, 1, &of->from[2 * d], &of->from[2 * d + 1]));
    /* What goes down comes from above. */
    for (int up = 0; up < 2; ++up) {
      const int at = 2 * d + up;
      of->to[at] = of->from[at];
      of->to_edge[at] = own * 10 + at;
      of->from_edge[at] = named(of->from[at]) * 10 + 2 * d + (1 - up);
    }
  }
  return true;
}

/* ---- graphs ---- */

/* The i-th edge of a random graph goes from one rank to another. */
static int random_edges(choices* by, int edges[][2]) {
  const int count = between(by, 0, 2 * size);
  for (int i = 0; i < count; ++i) {
    edges[i][0] = below(by, size);
    edges[i][1] = below(by, size);
  }
  return count;
}

static bool make_distributed_graph(choices* by, neighbourhood* of) {
  int edges[2 * MOST_RANKS][2], weights[2][MOST_NEIGHBOURS], in[MOST_NEIGHBOURS], out_[MOST_NEIGHBOURS],
      is_weighted = -1, kind = -1;
  int got_in[MOST_NEIGHBOURS], got_out[MOST_NEIGHBOURS], ins = -1, outs = -1;
  const int count = random_edges(by, edges);
  const bool weighted = chance(by, 50);
  for (int i = 0; i < count; ++i) {
    if (edges[i][0] == rank && of->destinations < MOST_NEIGHBOURS) {
      of->to_edge[of->destinations] = i;
      weights[1][of->destinations] = 3 + i;
      of->to[of->destinations++] = edges[i][1];
    }
    if (edges[i][1] == rank && of->sources < MOST_NEIGHBOURS) {
      of->from_edge[of->sources] = i;
      weights[0][of->sources] = 3 + i;
      of->from[of->sources++] = edges[i][0];
    }
  }
  DO(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, of->sources, of->from, weighted ? weights[0] : MPI_UNWEIGHTED,
                                    of->destinations, of->to, weighted ? weights[1] : MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                    &of->over));
  DO(MPI_Topo_test(of->over, &kind));
  DO(MPI_Dist_graph_neighbors_count(of->over, &ins, &outs, &is_weighted));
  DO(MPI_Dist_graph_neighbors(of->over, of->sources, in, weighted ? got_in : MPI_UNWEIGHTED, of->destinations, out_,
                              weighted ? got_out : MPI_UNWEIGHTED));
  say("distributed graph %d: %d in, %d out, weighted %d", kind == MPI_DIST_GRAPH, ins, outs, is_weighted != 0);
  for (int i = 0; i < of->sources; ++i) say("  from %d, %d", in[i], weighted ? got_in[i] : 0);
  for (int i = 0; i < of->destinations; ++i) say("  to %d, %d", out_[i], weighted ? got_out[i] : 0);
  return true;
}

/* Each rank has the edges that it likes to name; in which order its neighbours are is left to the MPI. */
static void ask_loose_graph(choices* by) {
  int edges[2 * MOST_RANKS][2], sources[2 * MOST_RANKS], degrees[2 * MOST_RANKS], to[2 * MOST_RANKS],
      ins = 0, outs = 0, weighted = 0, mine = 0;
  const int count = random_edges(by, edges);
  for (int i = 0; i < count; ++i) {
    if (below(by, size) != rank) continue;
    sources[mine] = edges[i][0];
    degrees[mine] = 1;
    to[mine++] = edges[i][1];
  }
  MPI_Comm made;
  DO(MPI_Dist_graph_create(MPI_COMM_WORLD, mine, sources, degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  DO(MPI_Dist_graph_neighbors_count(made, &ins, &outs, &weighted));
  int* got = calloc((size_t)ins + 1, sizeof(int));
  int sum = 0;
  DO(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, made));
  for (int i = 0; i < ins; ++i) sum += got[i] * got[i] + 1;
  say("loose graph: %d in, %d out, weighted %d, sum %d", ins, outs, weighted != 0, sum);
  free(got);
  DO(MPI_Comm_free(&made));
}

static bool make_graph(choices* by, neighbourhood* of) {
  const int members = between(by, 1, size);
  bool is_edge[MOST_RANKS][MOST_RANKS] = {{false}};
  int index[MOST_RANKS], edges[MOST_RANKS * MOST_RANKS], count = 0, kind = -1, nodes = 0, all = 0, own, got = 0;
  for (int i = 0; i < members; ++i)
    for (int k = 0; k <= i; ++k) is_edge[i][k] = is_edge[k][i] = chance(by, 40);
  for (int i = 0; i < members; ++i) {
    for (int k = 0; k < members; ++k)
      if (is_edge[i][k]) edges[count++] = k;
    index[i] = count;
  }
  DO(MPI_Graph_create(MPI_COMM_WORLD, members, index, edges, 0, &of->over));
  if (of->over == MPI_COMM_NULL) {
    say("not in it");
    return false;
  }
  DO(MPI_Topo_test(of->over, &kind));
  DO(MPI_Graphdims_get(of->over, &nodes, &all));
  DO(MPI_Comm_rank(of->over, &own));
  DO(MPI_Graph_neighbors_count(of->over, own, &got));
  DO(MPI_Graph_neighbors(of->over, own, got, of->from));
  say("graph %d: %d nodes, %d edges, %d neighbours %016llx", kind == MPI_GRAPH, nodes, all, got,
      (unsigned long long)hash_of(of->from, sizeof(int) * (size_t)got));
  of->sources = of->destinations = got;
  for (int i = 0; i < got; ++i) {
    of->to[i] = of->from[i];
    of->to_edge[i] = own * 100 + of->to[i];
    of->from_edge[i] = of->from[i] * 100 + own;
  }
  return true;
}

/* ---- neighbourhood collectives ---- */

typedef struct {
  blocks there, here;
  MPI_Datatype sent[MOST_NEIGHBOURS], received[MOST_NEIGHBOURS];
  MPI_Aint sent_at[MOST_NEIGHBOURS], received_at[MOST_NEIGHBOURS];
} directions;

static int units(int edge) {
  choices by = choices_of((uint64_t)step, (uint64_t)edge, 71);
  return chance(&by, 25) ? 0 : between(&by, 1, 3);
}

static void exchange(choices* by, choices* own, const neighbourhood* of) {
  const int kind = below(by, KINDS), form = below(by, FORMS), in = of->sources, outs = of->destinations;
  const bool is_v = kind >= ALLTOALLV || kind == ALLGATHERV, to_all = kind >= ALLTOALL;
  const signature unit = random_signature(by, 8);
  directions to = {0};
  elements sent = elements_of(own, &unit), received = elements_of(own, &unit);
  int own_rank;
  DO(MPI_Comm_rank(of->over, &own_rank));
  /* In an all-gather a rank sends as much to all. */
  for (int i = 0; i < outs; ++i) to.there.counts[i] = sent.count * units(of->to_edge[i]);
  for (int i = 0; i < in; ++i)
    to.here.counts[i] = received.count * units(to_all ? of->from_edge[i] : 5000 + named(of->from[i]));
  const int there_reach = spread_out(own, &to.there, outs), here_reach = spread_out(own, &to.here, in);
  const int one = kind == ALLGATHERV ? sent.count * units(5000 + own_rank) : sent.count;
  room from = is_v && to_all ? room_for(&sent.of, -2, there_reach + 2, (uint64_t)rank)
                             : room_for(&sent.of, 0, to_all ? outs * one : one, (uint64_t)rank);
  room into = is_v ? room_for(&received.of, -2, here_reach + 2, 33)
                   : room_for(&received.of, 0, in * received.count, 33);
  for (int i = 0; i < outs; ++i) to.sent[i] = sent.of.type, to.sent_at[i] = to.there.at[i] * sent.of.extent;
  for (int i = 0; i < in; ++i)
    to.received[i] = received.of.type, to.received_at[i] = to.here.at[i] * received.of.extent;
  const blocks *a = &to.there, *b = &to.here;
  const MPI_Datatype s = sent.of.type, r = received.of.type;
  const int rc = received.count;
  MPI_Comm over = of->over;
  MPI_Request request = MPI_REQUEST_NULL;
  const bool is_large = chance(own, 30);
  for (int round = 0; round < (form == PERSISTENT ? 2 : 1); ++round) {
    if (round == 1 && request != MPI_REQUEST_NULL) {
      DO(MPI_Start(&request));
    } else if (kind == ALLGATHER) {
      RUN(is_large, form, Neighbor_allgather, Ineighbor_allgather, (from.data, one, s, into.data, rc, r, over),
          (from.data, one, s, into.data, rc, r, over), &request);
    } else if (kind == ALLGATHERV) {
      RUN(is_large, form, Neighbor_allgatherv, Ineighbor_allgatherv,
          (from.data, one, s, into.data, b->counts, b->at, r, over),
          (from.data, one, s, into.data, b->large_counts, b->large_at, r, over), &request);
    } else if (kind == ALLTOALL) {
      RUN(is_large, form, Neighbor_alltoall, Ineighbor_alltoall, (from.data, one, s, into.data, rc, r, over),
          (from.data, one, s, into.data, rc, r, over), &request);
    } else if (kind == ALLTOALLV) {
      RUN(is_large, form, Neighbor_alltoallv, Ineighbor_alltoallv,
          (from.data, a->counts, a->at, s, into.data, b->counts, b->at, r, over),
          (from.data, a->large_counts, a->large_at, s, into.data, b->large_counts, b->large_at, r, over), &request);
    } else {
      RUN(is_large, form, Neighbor_alltoallw, Ineighbor_alltoallw,
          (from.data, a->counts, to.sent_at, to.sent, into.data, b->counts, to.received_at, to.received, over),
          (from.data, a->large_counts, to.sent_at, to.sent, into.data, b->large_counts, to.received_at, to.received,
           over),
          &request);
    }
    DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("neighbours %d form %d of %d %d: %016llx %016llx", kind, form, in, outs,
        (unsigned long long)hash_of_room(&from), (unsigned long long)hash_of_room(&into));
    fill(from.whole, from.bytes, (uint64_t)rank + 77);
  }
  if (request != MPI_REQUEST_NULL) DO(MPI_Request_free(&request));
  free_room(&from);
  free_room(&into);
  free_typed(&sent.of);
  free_typed(&received.of);
}

static void program(void) {
  for (step = 1; step <= 3; ++step) {
    choices by = choices_of((uint64_t)step, 0, 0), own = choices_of((uint64_t)step, (uint64_t)rank, 1);
    neighbourhood of = {.over = MPI_COMM_NULL};
    const int kind = below(&by, 3);
    if (kind == 0 && chance(&by, 50)) ask_loose_graph(&by);
    if ((kind == 0 ? make_distributed_graph : kind == 1 ? make_graph : make_grid)(&by, &of)) {
      /* Which choices a rank makes before this may depend on whether it is in the grid. */
      choices shared = choices_of((uint64_t)step, 0, 5);
      for (int i = 0; i < 2; ++i) exchange(&shared, &own, &of);
      DO(MPI_Comm_free(&of.over));
    }
  }
  choices by = choices_of(3, 3, 3);
  int dims[2] = {0, 0}, value = 0;
  if (!chance(&by, 10)) return;
  FAILS(MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, dims));
  FAILS(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &dims[0], &dims[1]));
  FAILS(MPI_Graphdims_get(MPI_COMM_WORLD, &dims[0], &value));
  FAILS(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &dims[0], &dims[1], &value));
}
