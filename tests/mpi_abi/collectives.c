/* All collectives, blocking, non-blocking and persistent, in place and not, of elements that lie in a row, or with gaps;
 * operators of MPI and of the program. Every rank knows what each must bring. */
#include "check.h"

enum { most = 8, n = 3 }; /* ranks, and elements of a block */

static MPI_Datatype types[2]; /* an int in a row; an int in every third place */
static int steps[2] = {1, 3};
static int step; /* of what is received */
static int from[2000], to[2000];

static void clear(void) {
  for (int i = 0; i < 2000; ++i) from[i] = to[i] = -1;
}
static int element(int of, int number) { return 1000 * of + number; }
/* The elements of `rank`, from `first` on. */
static void fill(int buffer[], int distance, int first, int count, int of, int number) {
  for (int i = 0; i < count; ++i) buffer[(first + i) * distance] = element(of, number + i);
}
static void expect(int first, int count, int of, int number) {
  for (int i = 0; i < count; ++i) {
    CHECK(to[(first + i) * step] == element(of, number + i));
    for (int k = 1; k < step; ++k) CHECK(to[(first + i) * step + k] == -1); /* what lies between is left alone */
  }
}

/* A request is completed; a persistent one twice. */
static void finish(MPI_Request* request, int is_persistent) {
  for (int times = 0; times <= is_persistent; ++times) {
    if (is_persistent) DO(MPI_Start(request));
    DO(MPI_Wait(request, MPI_STATUS_IGNORE));
  }
  if (is_persistent) DO(MPI_Request_free(request));
  CHECK(*request == MPI_REQUEST_NULL);
}

/* One collective in one form: 0 blocking, 1 non-blocking, 2 persistent. */
#if MPI_VERSION >= 4
#define RUN(form, name, iname, ...)                                                \
  do {                                                                             \
    MPI_Request request_;                                                          \
    if ((form) == 0) {                                                             \
      DO(MPI_##name(__VA_ARGS__, MPI_COMM_WORLD));                                 \
    } else if ((form) == 1) {                                                      \
      DO(MPI_I##iname(__VA_ARGS__, MPI_COMM_WORLD, &request_));                    \
      finish(&request_, 0);                                                        \
    } else {                                                                       \
      DO(MPI_##name##_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request_)); \
      finish(&request_, 1);                                                        \
    }                                                                              \
  } while (0)
#else
#define RUN(form, name, iname, ...)                             \
  do {                                                          \
    MPI_Request request_;                                       \
    if ((form) != 1) {                                          \
      DO(MPI_##name(__VA_ARGS__, MPI_COMM_WORLD));              \
    } else {                                                    \
      DO(MPI_I##iname(__VA_ARGS__, MPI_COMM_WORLD, &request_)); \
      finish(&request_, 0);                                     \
    }                                                           \
  } while (0)
#endif

static void moves(int form, int sent, int received) {
  const MPI_Datatype out = types[sent], in = types[received];
  const int stride = steps[sent];
  const int root = size - 1;
  int counts[most], places[most], counts_out[most], places_out[most], bytes_in[most], bytes_out[most];
  MPI_Datatype ins[most], outs[most];
  step = steps[received];
  for (int r = 0; r < size; ++r) {
    counts[r] = r % 3; /* of the block from or for rank r */
    places[r] = 4 * (size - 1 - r);
    counts_out[r] = rank % 3;
    places_out[r] = 4 * r + 1;
    bytes_in[r] = 4 * step * places[r];
    bytes_out[r] = 4 * stride * places_out[r];
    ins[r] = in;
    outs[r] = out;
  }

  clear();
  if (rank == root) fill(from, stride, 0, n, root, 0);
  memcpy(to, from, sizeof to);
  RUN(form, Bcast, bcast, rank == root ? from : to, n, rank == root ? out : in, root);
  if (rank != root) expect(0, n, root, 0);

  clear();
  fill(from, stride, 0, n, rank, 0);
  RUN(form, Gather, gather, from, n, out, to, n, in, root);
  for (int r = 0; rank == root && r < size; ++r) expect(n * r, n, r, 0);
  clear();
  fill(from, stride, 0, n, rank, 0);
  if (rank == root) fill(to, step, n * root, n, root, 7);
  RUN(form, Gather, gather, rank == root ? MPI_IN_PLACE : from, n, out, to, n, in, root);
  for (int r = 0; rank == root && r < size; ++r) expect(n * r, n, r, r == root ? 7 : 0);
  clear();
  fill(from, stride, 0, counts[rank], rank, 0);
  RUN(form, Gatherv, gatherv, from, counts[rank], out, to, counts, places, in, root);
  for (int r = 0; rank == root && r < size; ++r) expect(places[r], counts[r], r, 0);

  clear();
  if (rank == root) fill(from, stride, 0, n * size, root, 0);
  RUN(form, Scatter, scatter, from, n, out, to, n, in, root);
  expect(0, n, root, n * rank);
  clear();
  if (rank == root) fill(from, stride, 0, n * size, root, 0);
  RUN(form, Scatter, scatter, from, n, out, rank == root ? MPI_IN_PLACE : to, n, in, root);
  if (rank != root) expect(0, n, root, n * rank);
  clear();
  for (int r = 0; rank == root && r < size; ++r) fill(from, stride, places[r], counts[r], root, 10 * r);
  RUN(form, Scatterv, scatterv, from, counts, places, out, to, counts[rank], in, root);
  expect(0, counts[rank], root, 10 * rank);

  clear();
  fill(from, stride, 0, n, rank, 0);
  RUN(form, Allgather, allgather, from, n, out, to, n, in);
  for (int r = 0; r < size; ++r) expect(n * r, n, r, 0);
  clear();
  fill(to, step, n * rank, n, rank, 5);
  RUN(form, Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, in);
  for (int r = 0; r < size; ++r) expect(n * r, n, r, 5);
  clear();
  fill(from, stride, 0, counts[rank], rank, 0);
  RUN(form, Allgatherv, allgatherv, from, counts[rank], out, to, counts, places, in);
  for (int r = 0; r < size; ++r) expect(places[r], counts[r], r, 0);

  clear();
  for (int r = 0; r < size; ++r) fill(from, stride, n * r, n, rank, 10 * r);
  RUN(form, Alltoall, alltoall, from, n, out, to, n, in);
  for (int r = 0; r < size; ++r) expect(n * r, n, r, 10 * rank);
  if (form != 2) { /* twice in place is once more */
    clear();
    for (int r = 0; r < size; ++r) fill(to, step, n * r, n, rank, 10 * r);
    RUN(form, Alltoall, alltoall, MPI_IN_PLACE, n, out, to, n, in);
    for (int r = 0; r < size; ++r) expect(n * r, n, r, 10 * rank);
  }
  clear();
  for (int r = 0; r < size; ++r) fill(from, stride, places_out[r], counts_out[r], rank, 10 * r);
  RUN(form, Alltoallv, alltoallv, from, counts_out, places_out, out, to, counts, places, in);
  for (int r = 0; r < size; ++r) expect(places[r], counts[r], r, 10 * rank);
  clear();
  for (int r = 0; r < size; ++r) fill(from, stride, places_out[r], counts_out[r], rank, 10 * r);
  RUN(form, Alltoallw, alltoallw, from, counts_out, bytes_out, outs, to, counts, bytes_in, ins);
  for (int r = 0; r < size; ++r) expect(places[r], counts[r], r, 10 * rank);
}

/* a op b = a + b * 2^len-like: composition of maps x -> a x + b, which is not commutative. */
struct map {
  int times, plus;
};
static struct map composed(struct map first, struct map second) {
  const struct map both = {second.times * first.times, second.times * first.plus + second.plus};
  return both;
}
static int map_step = 1; /* distance of elements, in maps */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(*type, &lb, &extent);
  CHECK(extent == (MPI_Aint)sizeof(struct map) * map_step);
  for (int i = 0; i < *count; ++i) {
    struct map* const right = (struct map*)((char*)inout + i * extent);
    *right = composed(*(struct map*)((char*)in + i * extent), *right);
  }
}
static struct map map_of(int of, int i) {
  const struct map made = {2 * of + 3, of + i};
  return made;
}
static struct map map_to(int last, int i) {
  struct map all = map_of(0, i);
  for (int r = 1; r <= last; ++r) all = composed(all, map_of(r, i));
  return all;
}
static int is_map(struct map a, struct map b) { return a.times == b.times && a.plus == b.plus; }

static void maps(int form, MPI_Datatype type, MPI_Op op) {
  struct map mine[100], got[100];
  int counts[most], total = 0;
  const int d = map_step;
#define SET(buffer, all) \
  for (int i_ = 0; i_ < (all); ++i_) (buffer)[i_ * d] = map_of(rank, i_)
  SET(mine, n);
  memset(got, 0xff, sizeof got);
  RUN(form, Allreduce, allreduce, mine, got, n, type, op);
  for (int i = 0; i < n; ++i) CHECK(is_map(got[i * d], map_to(size - 1, i)));
  if (d > 1) CHECK(got[1].times == -1 && got[1].plus == -1);
  if (form != 2) {
    SET(got, n);
    RUN(form, Allreduce, allreduce, MPI_IN_PLACE, got, n, type, op);
    for (int i = 0; i < n; ++i) CHECK(is_map(got[i * d], map_to(size - 1, i)));
  }
  RUN(form, Reduce, reduce, mine, got, n, type, op, 0);
  if (rank == 0) CHECK(is_map(got[d], map_to(size - 1, 1)));
  RUN(form, Scan, scan, mine, got, n, type, op);
  for (int i = 0; i < n; ++i) CHECK(is_map(got[i * d], map_to(rank, i)));
  got[0].plus = -99;
  RUN(form, Exscan, exscan, mine, got, n, type, op);
  if (rank == 0) CHECK(got[0].plus == -99);
  for (int i = 0; rank > 0 && i < n; ++i) CHECK(is_map(got[i * d], map_to(rank - 1, i)));
  SET(mine, 2 * size);
  RUN(form, Reduce_scatter_block, reduce_scatter_block, mine, got, 2, type, op);
  CHECK(is_map(got[d], map_to(size - 1, 2 * rank + 1)));
  for (int r = 0; r < size; ++r) total += counts[r] = r % 2 + 1;
  SET(mine, total);
  RUN(form, Reduce_scatter, reduce_scatter, mine, got, counts, type, op);
  total = 0;
  for (int r = 0; r < rank; ++r) total += counts[r];
  CHECK(is_map(got[0], map_to(size - 1, total)) && is_map(got[(counts[rank] - 1) * d], map_to(size - 1, total + counts[rank] - 1)));
}

static void reductions(int form) {
  int mine[n] = {rank, -rank, 1 << rank}, got[n], flag;
  struct {
    double value;
    int place;
  } lowest, at = {rank % 2 == 1 ? 0.5 : 1.5, rank};
  RUN(form, Allreduce, allreduce, mine, got, n, MPI_INT, MPI_SUM);
  CHECK(got[0] == size * (size - 1) / 2 && got[1] == -got[0] && got[2] == (1 << size) - 1);
  RUN(form, Allreduce, allreduce, mine, got, n, MPI_INT, MPI_MAX);
  CHECK(got[0] == size - 1 && got[1] == 0 && got[2] == 1 << (size - 1));
  RUN(form, Allreduce, allreduce, mine + 2, got, 1, MPI_INT, MPI_BOR);
  CHECK(got[0] == (1 << size) - 1);
  RUN(form, Allreduce, allreduce, &at, &lowest, 1, MPI_DOUBLE_INT, MPI_MINLOC);
  CHECK(size == 1 ? lowest.value == 1.5 : lowest.value == 0.5 && lowest.place == 1);
  RUN(form, Allreduce, allreduce, mine, got, 0, MPI_INT, MPI_SUM);
  if (form == 0) {
    DO(MPI_Barrier(MPI_COMM_WORLD));
    got[0] = 5;
    DO(MPI_Reduce_local(mine, got, 1, MPI_INT, MPI_SUM));
    CHECK(got[0] == rank + 5);
    DO(MPI_Op_commutative(MPI_SUM, &flag));
    CHECK(flag);
  }
}

/* What the arrays of a call say counts, whatever becomes of them while it goes on. */
static void arrays_that_change(void) {
#if MPI_VERSION >= 4
  MPI_Count counts[most];
  MPI_Aint places[most];
  int small[most], small_places[most], got[most];
  MPI_Request requests[2];
  for (int r = 0; r < size; ++r) counts[r] = small[r] = 1, places[r] = small_places[r] = r, got[r] = -1;
  DO(MPI_Allgatherv_init_c(&rank, 1, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  DO(MPI_Allgatherv_init(&rank, 1, MPI_INT, got, small, small_places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  for (int r = 0; r < size; ++r) counts[r] = small[r] = 1 << 20, places[r] = small_places[r] = 7;
  for (int i = 0; i < 2; ++i) {
    DO(MPI_Start(&requests[i]));
    DO(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int r = 0; r < size; ++r) {
      CHECK(got[r] == r);
      got[r] = -1;
    }
    DO(MPI_Request_free(&requests[i]));
  }
#endif
}

int main(int argc, char** argv) {
  MPI_Datatype map, spaced_map, no_type = MPI_DATATYPE_NULL;
  MPI_Op op;
  MPI_Request request;
  int flag, value = 0, got;
  begin(&argc, &argv);
  types[0] = MPI_INT;
  DO(MPI_Type_create_resized(MPI_INT, 0, 12, &types[1]));
  DO(MPI_Type_commit(&types[1]));
  DO(MPI_Type_contiguous(2, MPI_INT, &map));
  DO(MPI_Type_create_resized(map, 0, 24, &spaced_map));
  DO(MPI_Type_commit(&map));
  DO(MPI_Type_commit(&spaced_map));
  DO(MPI_Op_create(compose, 0, &op));
  DO(MPI_Op_commutative(op, &flag));
  CHECK(!flag);
  for (int form = 0; form < 3; ++form) {
    for (int which = 0; which < 4; ++which) moves(form, which / 2, which % 2);
    reductions(form);
    map_step = 1;
    maps(form, map, op);
    map_step = 3;
    maps(form, spaced_map, op);
  }
  arrays_that_change();
  DO(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  DO(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  for (flag = 0; !flag;) DO(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  FAILS(MPI_Allreduce(&value, &got, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
  FAILS(MPI_Reduce_local(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
#ifdef PURE_MPI_H
  FAILS(MPI_Reduce_local(&got, &got, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  int many[3] = {rank, rank, rank}; /* what a rank passes on to others is of another size than the root says */
  if (rank == 0) { /* who is told of it only with PURE_CHECK */
    MPI_Bcast(many, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(many, 3, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    FAILS(MPI_Bcast(many, 3, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
    FAILS(MPI_Bcast(many, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
  }
#endif
  FAILS(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
  FAILS(MPI_Bcast(&value, 1, no_type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  DO(MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  CHECK(got == size - 1);
  DO(MPI_Type_free(&map));
  DO(MPI_Type_free(&spaced_map));
  DO(MPI_Type_free(&types[1]));
  return end();
}
