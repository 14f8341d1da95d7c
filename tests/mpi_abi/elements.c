/* Elements of every predefined datatype and of derived ones, combined: by operators in reductions and on windows; and counts
   that are no int. */
#define _GNU_SOURCE
#include "check.h"

#include <stdint.h>
#include <sys/mman.h>

enum { most = 8 };

/* ---- numbers of 16 bytes and of 2 ---- */

static void wide_numbers(void) {
#ifdef __SIZEOF_FLOAT128__
  typedef __float128 quad;
  const quad tiny = (quad)1 / ((quad)(1ULL << 50) * (1ULL << 50)); /* lost in a double, not in a quad */
  quad mine[2] = {(quad)(rank + 1) + tiny, -(quad)rank}, got[2], expected = 0;
  for (int r = 0; r < size; ++r) expected += (quad)(r + 1) + tiny;
  DO(MPI_Allreduce(mine, got, 2, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD));
  CHECK(got[0] == expected && got[0] != (quad)(double)got[0]);
  DO(MPI_Allreduce(mine, got, 2, MPI_REAL16, MPI_MAX, MPI_COMM_WORLD));
  CHECK(got[0] == (quad)size + tiny && got[1] == 0);
  DO(MPI_Allreduce(mine, got, 2, MPI_REAL16, MPI_MIN, MPI_COMM_WORLD));
  CHECK(got[0] == 1 + tiny && got[1] == -(quad)(size - 1));
  quad turn[2] = {0, 1}, turned[2]; /* i to the power of the number of ranks */
  DO(MPI_Allreduce(turn, turned, 1, MPI_COMPLEX32, MPI_PROD, MPI_COMM_WORLD));
  const quad powers[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  CHECK(turned[0] == powers[size % 4][0] && turned[1] == powers[size % 4][1]);
  FAILS(MPI_Allreduce(turn, turned, 1, MPI_COMPLEX32, MPI_MAX, MPI_COMM_WORLD), MPI_ERR_OP);
  FAILS(MPI_Allreduce(mine, got, 2, MPI_REAL16, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
  MPI_Datatype of_fortran;
  DO(MPI_Type_create_f90_real(33, 4931, &of_fortran));
  DO(MPI_Allreduce(mine, got, 2, of_fortran, MPI_SUM, MPI_COMM_WORLD));
  CHECK(got[0] == expected);
#endif
#ifdef __SIZEOF_INT128__
  __int128 large = ((__int128)1 << 100) + rank, sum;
  DO(MPI_Allreduce(&large, &sum, 1, MPI_INTEGER16, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum == ((__int128)size << 100) + size * (size - 1) / 2);
  large = rank == 0 ? -((__int128)1 << 80) : rank;
  DO(MPI_Allreduce(&large, &sum, 1, MPI_INTEGER16, MPI_MIN, MPI_COMM_WORLD));
  CHECK(sum == -((__int128)1 << 80));
  large = (__int128)1 << (100 + rank);
  DO(MPI_Allreduce(&large, &sum, 1, MPI_INTEGER16, MPI_BOR, MPI_COMM_WORLD));
  CHECK(sum == (((__int128)1 << size) - 1) << 100);
  DO(MPI_Allreduce(&large, &sum, 1, MPI_LOGICAL16, MPI_LAND, MPI_COMM_WORLD));
  CHECK(size == 1 || sum == 1);
#endif
  /* 1.5 and 2^-24, the least; 2049 is rounded to 2048, to the even one. */
  uint16_t halves[3] = {0x3e00, 0x0001, 0x6800}, sums[3];
  const uint16_t one = 0x3c00, last = 0x6800; /* 1, 2048 */
  DO(MPI_Allreduce(halves, sums, 2, MPI_REAL2, MPI_SUM, MPI_COMM_WORLD));
  const uint16_t multiples[5] = {0, 0x3e00, 0x4200, 0x4480, 0x4600}; /* 1.5, 3, 4.5, 6 */
  if (size < 5) CHECK(sums[0] == multiples[size] && sums[1] == size);
  DO(MPI_Reduce_local(&one, memcpy(&halves[2], &last, sizeof last), 1, MPI_REAL2, MPI_SUM));
  CHECK(halves[2] == 0x6800);
  const float pair[2] = {(float)(rank % 2), (float)rank};
  float best[2];
  DO(MPI_Allreduce(pair, best, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD));
  CHECK(best[0] == (size > 1 ? 1 : 0) && best[1] == (size > 1 ? 1 : 0));
}

/* ---- elements that lie inside each other ---- */

static int apart; /* from the first int of an element to its second */
static int calls;
/* Elements are maps x -> times * x + plus, which are composed: associative, not commutative. */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  ++calls;
  const int* from = in;
  int* to = inout;
  for (int i = 0; i < *count; ++i) {
    to[i + apart] += to[i] * from[i + apart];
    to[i] *= from[i];
  }
}
static int times_of(int r, int i) { return 2 + (r + i) % 3; }
static int plus_of(int r, int i) { return 100 * r + i; }

static void interleaved(void) {
  enum { each = 3 };
  const int all = each * size;
  int mine[2 * each * most], got[2 * each * most], counts[most];
  MPI_Datatype two, type;
  MPI_Op op;
  DO(MPI_Op_create(compose, 0, &op));
  apart = all;
  DO(MPI_Type_vector(2, 1, all, MPI_INT, &two));
  DO(MPI_Type_create_resized(two, 0, sizeof(int), &type));
  DO(MPI_Type_commit(&type));
  int times[each * most], plus[each * most]; /* what the operator makes of all, in the order of ranks */
  for (int i = 0; i < all; ++i) {
    mine[i] = times_of(rank, i), mine[i + all] = plus_of(rank, i), got[i] = got[i + all] = -1;
    times[i] = times_of(0, i), plus[i] = plus_of(0, i);
    for (int r = 1; r < size; ++r) {
      plus[i] = plus_of(r, i) + times_of(r, i) * plus[i];
      times[i] *= times_of(r, i);
    }
  }
#define IS(at, i) CHECK(got[at] == times[i] && got[(at) + all] == plus[i])
  DO(MPI_Reduce_scatter_block(mine, got, each, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < each; ++i) IS(i, each * rank + i);
  for (int i = each; i < all; ++i) CHECK(got[i] == -1 && got[i + all] == -1);
  for (int r = 0; r < size; ++r) counts[r] = r == 0 ? all - size + 1 : 1;
  MPI_Request request;
  DO(MPI_Ireduce_scatter(mine, got, counts, type, op, MPI_COMM_WORLD, &request));
  DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
  const int from = rank == 0 ? 0 : all - size + rank;
  for (int i = 0; i < counts[rank]; ++i) IS(i, from + i);
  DO(MPI_Allreduce(mine, got, all, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < all; ++i) IS(i, i);
  for (int i = 0; i < 2 * all; ++i) got[i] = mine[i];
  DO(MPI_Reduce_scatter_block(MPI_IN_PLACE, got, each, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < each; ++i) IS(i, each * rank + i);
  CHECK(size == 1 || calls > 0);
  DO(MPI_Type_free(&type));
  DO(MPI_Type_free(&two));
  DO(MPI_Op_free(&op));
}

/* An element that begins behind its zero, and is as aligned as the program's. */
struct lopsided {
  int unused, number;
  double value;
};
static void add_lopsided(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  CHECK((uintptr_t)in % 8 == 0 && (uintptr_t)inout % 8 == 0);
  for (int i = 0; i < *count; ++i) {
    ((struct lopsided*)inout)[i].number += ((struct lopsided*)in)[i].number;
    ((struct lopsided*)inout)[i].value += ((struct lopsided*)in)[i].value;
  }
}
static void behind_zero(void) {
  struct lopsided mine[3], got[3];
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {4, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype parts, type;
  MPI_Op op;
  DO(MPI_Type_create_struct(2, lengths, places, types, &parts));
  DO(MPI_Type_create_resized(parts, 0, sizeof(struct lopsided), &type));
  DO(MPI_Type_commit(&type));
  DO(MPI_Op_create(add_lopsided, 1, &op));
  for (int i = 0; i < 3; ++i) mine[i] = (struct lopsided){7, rank + i, 0.5 * rank}, got[i].unused = -1;
  DO(MPI_Allreduce(mine, got, 3, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < 3; ++i) {
    CHECK(got[i].number == size * (size - 1) / 2 + size * i && got[i].value == 0.25 * size * (size - 1));
    CHECK(got[i].unused == -1);
  }
  DO(MPI_Type_free(&type));
  DO(MPI_Type_free(&parts));
  DO(MPI_Op_free(&op));
}

/* ---- windows ---- */

struct value_at {
  double value;
  int at;
};
struct short_at {
  short value;
  int at;
};

static void pairs_on_windows(void) {
  struct value_at* there;
  MPI_Win win;
  DO(MPI_Win_allocate(8 * sizeof *there, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &win));
  DO(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  for (int i = 0; i < 8; ++i) there[i].value = -1, there[i].at = -1;
  MPI_Datatype row, every_other, members;
  DO(MPI_Type_contiguous(3, MPI_DOUBLE_INT, &row));
  DO(MPI_Type_vector(3, 1, 2, MPI_DOUBLE_INT, &every_other));
  const int lengths[2] = {1, 2};
  const MPI_Aint places[2] = {0, 2 * sizeof(struct value_at)};
  const MPI_Datatype types[2] = {MPI_DOUBLE_INT, MPI_DOUBLE_INT};
  DO(MPI_Type_create_struct(2, lengths, places, types, &members));
  DO(MPI_Type_commit(&row));
  DO(MPI_Type_commit(&every_other));
  DO(MPI_Type_commit(&members));
  struct value_at mine[5];
  for (int i = 0; i < 5; ++i) mine[i].value = rank * (i % 4 == 0 ? 1 : 2), mine[i].at = 10 * rank + i;
  DO(MPI_Win_fence(0, win));
  /* Elements 0, 2, 4 here are 1, 2, 3 there. */
  DO(MPI_Accumulate(mine, 1, every_other, 0, sizeof(struct value_at), 1, row, MPI_MAXLOC, win));
  DO(MPI_Win_fence(0, win));
  const int last = size - 1;
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) {
      CHECK(there[1 + i].value == (i == 1 ? 2 : 1) * last);
      CHECK(there[1 + i].at == (last == 0 ? 2 * i : 10 * last + 2 * i));
    }
    CHECK(there[0].at == -1 && there[4].at == -1);
  }
  DO(MPI_Win_fence(0, win));
  /* And read: into elements 0, 2, 3 of a row what was there in 1, 2, 3. */
  struct value_at was[4] = {{-7, -7}, {-7, -7}, {-7, -7}, {-7, -7}};
  if (rank == last)
    DO(MPI_Get_accumulate(mine, 1, every_other, was, 1, members, 0, sizeof(struct value_at), 3, MPI_DOUBLE_INT,
                          MPI_REPLACE, win));
  DO(MPI_Win_fence(0, win));
  if (rank == last) {
    CHECK(was[0].value == last && was[2].value == 2 * last && was[3].value == last);
    CHECK(was[1].value == -7 && was[2].at == 10 * last + 2);
  }
  if (rank == 0) CHECK(there[2].value == 2 * last && there[3].at == 10 * last + 4);
  FAILS(MPI_Accumulate(mine, 1, every_other, 0, 0, 3, MPI_LONG_INT, MPI_MAXLOC, win), MPI_ERR_TYPE);
  FAILS(MPI_Accumulate(mine, 1, every_other, 0, 0, 1, row, MPI_SUM, win), MPI_ERR_OP);
  DO(MPI_Win_free(&win));
  DO(MPI_Type_free(&row));
  DO(MPI_Type_free(&every_other));
  DO(MPI_Type_free(&members));

  /* A pair with its gap in the middle; and one of Fortran. */
  struct short_at* shorts;
  DO(MPI_Win_allocate(4 * sizeof *shorts, sizeof *shorts, MPI_INFO_NULL, MPI_COMM_WORLD, &shorts, &win));
  for (int i = 0; i < 4; ++i) shorts[i].value = 1000, shorts[i].at = -1;
  DO(MPI_Type_contiguous(2, MPI_SHORT_INT, &row));
  DO(MPI_Type_commit(&row));
  const struct short_at two[2] = {{(short)-rank, rank}, {(short)rank, rank}};
  DO(MPI_Win_fence(0, win));
  DO(MPI_Accumulate(two, 2, MPI_SHORT_INT, 0, 1, 1, row, MPI_MINLOC, win));
  DO(MPI_Win_fence(0, win));
  if (rank == 0) {
    CHECK(shorts[1].value == -last && shorts[1].at == last && shorts[2].value == 0 && shorts[2].at == 0);
    CHECK(shorts[0].value == 1000 && shorts[3].value == 1000);
  }
  DO(MPI_Type_free(&row));
  DO(MPI_Win_free(&win));
  float* reals;
  DO(MPI_Win_allocate(4 * sizeof(float), sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &reals, &win));
  for (int i = 0; i < 4; ++i) reals[i] = -1;
  const float real[2] = {(float)rank, (float)(size - rank)};
  DO(MPI_Win_fence(0, win));
  DO(MPI_Accumulate(real, 1, MPI_2REAL, 0, 1, 1, MPI_2REAL, MPI_MAXLOC, win));
  DO(MPI_Win_fence(0, win));
  if (rank == 0) CHECK(reals[0] == -1 && reals[1] == last && reals[2] == 1 && reals[3] == -1);
  DO(MPI_Win_free(&win));
}

/* ---- all to all, of rows and of what does not lie in a row ---- */

static void each_its_type(void) {
  int from[6 * most], to[6 * most], counts[most], out[most], in[most];
  MPI_Datatype types[most], gaps;
  DO(MPI_Type_vector(2, 1, 2, MPI_INT, &gaps));
  DO(MPI_Type_commit(&gaps));
  for (int with_gaps = 0; with_gaps < 2; ++with_gaps) {
    for (int r = 0; r < size; ++r) {
      const int is_last = with_gaps && r == size - 1;
      types[r] = is_last ? gaps : r % 2 == 0 ? MPI_INT : MPI_BYTE;
      counts[r] = is_last ? 1 : r % 2 == 0 ? 2 : 2 * (int)sizeof(int);
      out[r] = (int)sizeof(int) * 6 * (size - 1 - r); /* not in the order of ranks */
      in[r] = (int)sizeof(int) * (6 * r + 1);
    }
    for (int i = 0; i < 6 * size; ++i) from[i] = 1000 * rank + i, to[i] = -1;
    DO(MPI_Alltoallw(from, counts, out, types, to, counts, in, types, MPI_COMM_WORLD));
    for (int r = 0; r < size; ++r) {
      /* Rank r has sent block `rank`, of that rank's type. */
      const int first = 1000 * r + 6 * (size - 1 - rank), step = with_gaps && rank == size - 1 ? 2 : 1;
      const int place = with_gaps && r == size - 1 ? 2 : 1;
      CHECK(to[6 * r + 1] == first && to[6 * r + 1 + place] == first + step && to[6 * r] == -1);
    }
  }
  DO(MPI_Type_free(&gaps));
}

/* ---- more than an int counts ---- */

static void large_counts(void) {
  const MPI_Count many = 3000000000, block = 1 << 20, blocks = 2049;
  MPI_Datatype large, again;
  int small, flag;
  MPI_Count count;
  DO(MPI_Type_contiguous_c(many, MPI_BYTE, &large));
  DO(MPI_Type_commit(&large));
  DO(MPI_Type_size(large, &small));
  CHECK(small == MPI_UNDEFINED);
  DO(MPI_Type_size_c(large, &count));
  CHECK(count == many);
  MPI_Aint lower, extent;
  DO(MPI_Type_get_extent(large, &lower, &extent));
  CHECK(lower == 0 && extent == many);
  DO(MPI_Pack_size_c(2, large, MPI_COMM_WORLD, &count));
  CHECK(count >= 2 * many);
  MPI_Status status;
  DO(MPI_Status_set_elements_c(&status, MPI_BYTE, many));
  DO(MPI_Get_count(&status, MPI_BYTE, &small));
  CHECK(small == MPI_UNDEFINED);
  DO(MPI_Get_count_c(&status, MPI_BYTE, &count));
  CHECK(count == many);
  DO(MPI_Get_count(&status, large, &small));
  CHECK(small == 1);
  DO(MPI_Get_elements_c(&status, large, &count));
  CHECK(count == many);
  if (size == 3 && rank < 2) {
    /* Pages that are only read take no memory; and all blocks come to one place. */
    if (rank == 0) {
      char* const pages = mmap(NULL, (size_t)block * blocks, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      CHECK(pages != MAP_FAILED);
      madvise(pages, (size_t)block * blocks, MADV_HUGEPAGE); /* they are looked at faster */
      pages[block * blocks - 5] = 5;
      DO(MPI_Send_c(pages, block * blocks, MPI_BYTE, 1, 7, MPI_COMM_WORLD));
      munmap(pages, (size_t)block * blocks);
    } else {
      char* const one = calloc((size_t)block, 1);
      DO(MPI_Type_create_hvector_c(blocks, block, 0, MPI_BYTE, &again));
      DO(MPI_Type_commit(&again));
      DO(MPI_Probe(0, 7, MPI_COMM_WORLD, &status));
      DO(MPI_Get_count(&status, MPI_BYTE, &small));
      CHECK(small == MPI_UNDEFINED);
      DO(MPI_Recv_c(one, 1, again, 0, 7, MPI_COMM_WORLD, &status));
      DO(MPI_Get_count_c(&status, MPI_BYTE, &count));
      CHECK(count == block * blocks && one[block - 5] == 5);
      DO(MPI_Test_cancelled(&status, &flag));
      CHECK(!flag);
      DO(MPI_Type_free(&again));
      free(one);
    }
  }
  DO(MPI_Type_free(&large));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  DO(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CHECK(size <= most);
  wide_numbers();
  interleaved();
  behind_zero();
  pairs_on_windows();
  each_its_type();
  large_counts();
  return end();
}
