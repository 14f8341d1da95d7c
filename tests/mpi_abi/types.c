/* Derived datatypes: bounds, what travels, how they were made, packed and in the external representation. */
#include <stddef.h>

#include "check.h"

#define BOUNDS(type, lb, extent, true_lb, true_extent, bytes)                \
  do {                                                                       \
    MPI_Aint first_, length_;                                                \
    int size_;                                                               \
    DO(MPI_Type_get_extent(type, &first_, &length_));                        \
    CHECK(first_ == (lb) && length_ == (MPI_Aint)(extent));                  \
    DO(MPI_Type_get_true_extent(type, &first_, &length_));                   \
    CHECK(first_ == (true_lb) && length_ == (true_extent));                  \
    DO(MPI_Type_size(type, &size_));                                         \
    CHECK(size_ == (bytes));                                                 \
  } while (0)

static void bounds(void) {
  struct pair {
    double value;
    int number;
  };
  MPI_Datatype type, other, types[3] = {MPI_DOUBLE, MPI_INT};
  int lengths[3] = {1, 1, 1};
  MPI_Aint at[3] = {offsetof(struct pair, value), offsetof(struct pair, number)};
  DO(MPI_Type_create_struct(2, lengths, at, types, &type));
  BOUNDS(type, 0, sizeof(struct pair), 0, 12, 12); /* with the gap at the end */
  DO(MPI_Type_free(&type));
  CHECK(type == MPI_DATATYPE_NULL);
  BOUNDS(MPI_DOUBLE_INT, 0, 16, 0, 12, 12);
  BOUNDS(MPI_2INT, 0, 8, 0, 8, 8);
  BOUNDS(MPI_SHORT_INT, 0, 8, 0, 8, 6);

  DO(MPI_Type_vector(3, 2, -4, MPI_INT, &type)); /* to lower addresses */
  BOUNDS(type, -32, 40, -32, 40, 24);
  DO(MPI_Type_create_resized(type, -40, 64, &other));
  BOUNDS(other, -40, 64, -32, 40, 24);
  DO(MPI_Type_free(&type));
  DO(MPI_Type_contiguous(2, other, &type)); /* bounds that were set stay */
  BOUNDS(type, -40, 128, -32, 104, 48);
  types[0] = type;
  types[1] = MPI_CHAR;
  at[0] = 0;
  at[1] = 200;
  types[0] = other;
  DO(MPI_Type_free(&type));
  DO(MPI_Type_create_struct(2, lengths, at, types, &type));
  BOUNDS(type, -40, 64, -32, 233, 25); /* only what was set counts */
  DO(MPI_Type_free(&type));
  DO(MPI_Type_free(&other));
  DO(MPI_Type_contiguous(0, MPI_INT, &type));
  BOUNDS(type, 0, 0, 0, 0, 0);
  DO(MPI_Type_free(&type));
}

/* What a type of a 4 x 6 matrix of ints takes out, in order. */
static void takes(MPI_Datatype type, int count, const int expected[]) {
  int matrix[24], got[24], position = 0, bytes;
  MPI_Status status;
  for (int i = 0; i < 24; ++i) matrix[i] = i, got[i] = -1;
  DO(MPI_Type_commit(&type));
  DO(MPI_Sendrecv(matrix, 1, type, 0, 1, got, 24, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
  DO(MPI_Get_count(&status, MPI_INT, &position));
  CHECK(position == count);
  for (int i = 0; i < count; ++i) CHECK(got[i] == expected[i]);
  memset(matrix, 0xff, sizeof matrix); /* and puts back */
  DO(MPI_Sendrecv(got, count, MPI_INT, 0, 1, matrix, 1, type, 0, 1, MPI_COMM_SELF, &status));
  for (int i = 0; i < 24; ++i) {
    int is_taken = 0;
    for (int k = 0; k < count; ++k) is_taken |= expected[k] == i;
    CHECK(matrix[i] == (is_taken ? i : -1));
  }
  DO(MPI_Pack_size(1, type, MPI_COMM_SELF, &bytes));
  CHECK(bytes >= 4 * count);
  position = 0;
  DO(MPI_Pack(matrix, 1, type, got, sizeof got, &position, MPI_COMM_SELF));
  CHECK(position == 4 * count);
  position = 0;
  memset(matrix, 0, sizeof matrix);
  DO(MPI_Unpack(got, 4 * count, &position, matrix, 1, type, MPI_COMM_SELF));
  for (int k = 0; k < count; ++k) CHECK(matrix[expected[k]] == expected[k]);
  DO(MPI_Type_free(&type));
}

static void constructors(void) {
  MPI_Datatype type;
  int lengths[3] = {2, 0, 1}, places[3] = {3, 9, 1}, sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
  MPI_Aint far[3] = {12, 36, 4};
  DO(MPI_Type_vector(2, 2, 6, MPI_INT, &type));
  takes(type, 4, (int[]){0, 1, 6, 7});
  DO(MPI_Type_create_hvector(3, 1, 28, MPI_INT, &type));
  takes(type, 3, (int[]){0, 7, 14});
  DO(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
  takes(type, 3, (int[]){3, 4, 1});
  DO(MPI_Type_create_hindexed(3, lengths, far, MPI_INT, &type));
  takes(type, 3, (int[]){3, 4, 1});
  DO(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
  takes(type, 6, (int[]){3, 4, 9, 10, 1, 2});
  DO(MPI_Type_create_hindexed_block(2, 2, far, MPI_INT, &type));
  takes(type, 4, (int[]){3, 4, 9, 10});
  DO(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type));
  takes(type, 6, (int[]){8, 9, 10, 14, 15, 16});
  DO(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type));
  takes(type, 6, (int[]){9, 10, 13, 14, 17, 18});
  { /* 4 x 6 over 2 x 2 processes; rank 3 has the last of each dimension */
    int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, psizes[2] = {2, 2};
    DO(MPI_Type_create_darray(4, 3, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &type));
    BOUNDS(type, 0, 96, 56, 28 + 4, 16);
    takes(type, 4, (int[]){14, 15, 20, 21});
    DO(MPI_Type_create_darray(4, 2, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &type));
    takes(type, 8, (int[]){12, 13, 16, 17, 18, 19, 22, 23});
    dargs[1] = MPI_DISTRIBUTE_DFLT_DARG;
    DO(MPI_Type_create_darray(4, 1, 2, sizes, distribs, dargs, psizes, MPI_ORDER_FORTRAN, MPI_INT, &type));
    takes(type, 6, (int[]){4, 5, 12, 13, 20, 21});
  }
}

static void contents(void) {
  MPI_Datatype vector, dup, got[1];
  int integers, addresses, datatypes, combiner, values[3];
  DO(MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &vector));
  DO(MPI_Type_dup(vector, &dup));
  DO(MPI_Type_get_envelope(vector, &integers, &addresses, &datatypes, &combiner));
  CHECK(integers == 3 && addresses == 0 && datatypes == 1 && combiner == MPI_COMBINER_VECTOR);
  DO(MPI_Type_get_contents(vector, 3, 0, 1, values, NULL, got));
  CHECK(values[0] == 3 && values[1] == 2 && values[2] == 5 && got[0] == MPI_DOUBLE);
  DO(MPI_Type_free(&vector)); /* what was made of it knows it all the same */
  DO(MPI_Type_get_envelope(dup, &integers, &addresses, &datatypes, &combiner));
  CHECK(integers == 0 && datatypes == 1 && combiner == MPI_COMBINER_DUP);
  DO(MPI_Type_get_contents(dup, 0, 0, 1, NULL, NULL, got));
  DO(MPI_Type_get_envelope(got[0], &integers, &addresses, &datatypes, &combiner));
  CHECK(combiner == MPI_COMBINER_VECTOR);
  DO(MPI_Type_free(&got[0]));
  DO(MPI_Type_free(&dup));
  {
    const int lengths[2] = {1, 2};
    const MPI_Aint places[2] = {40, -8};
    const MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
    MPI_Aint where[2];
    MPI_Datatype both[2];
    DO(MPI_Type_create_struct(2, lengths, places, types, &vector));
    DO(MPI_Type_get_envelope(vector, &integers, &addresses, &datatypes, &combiner));
    CHECK(integers == 3 && addresses == 2 && datatypes == 2 && combiner == MPI_COMBINER_STRUCT);
    DO(MPI_Type_get_contents(vector, 3, 2, 2, values, where, both));
    CHECK(values[0] == 2 && values[1] == 1 && values[2] == 2 && where[0] == 40 && where[1] == -8);
    CHECK(both[0] == MPI_CHAR && both[1] == MPI_DOUBLE);
    CHECK(MPI_Type_get_contents(vector, 2, 2, 2, values, where, both) != MPI_SUCCESS);
    DO(MPI_Type_free(&vector));
#if MPI_VERSION >= 4
    MPI_Count n[4], large[3];
    DO(MPI_Type_create_hvector_c(3, 2, 64, MPI_INT, &vector));
    DO(MPI_Type_get_envelope_c(vector, &n[0], &n[1], &n[2], &n[3], &combiner));
    CHECK(n[0] == 0 && n[1] == 0 && n[2] == 3 && n[3] == 1 && combiner == MPI_COMBINER_HVECTOR);
    DO(MPI_Type_get_contents_c(vector, 0, 0, 3, 1, NULL, NULL, large, both));
    CHECK(large[0] == 3 && large[1] == 2 && large[2] == 64 && both[0] == MPI_INT);
    CHECK(MPI_Type_get_envelope(vector, &integers, &addresses, &datatypes, &combiner) != MPI_SUCCESS);
    DO(MPI_Type_free(&vector));
#endif
  }
  DO(MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &datatypes, &combiner));
  CHECK(combiner == MPI_COMBINER_NAMED && integers == 0 && datatypes == 0);
  CHECK(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL) != MPI_SUCCESS);
}

/* Four constructors, which differ in what are lengths and what are bytes. */
static void contents_of_indexed(void) {
  const int lengths[2] = {2, 3}, at[2] = {1, 5};
  const MPI_Aint bytes[2] = {8, 40};
  MPI_Datatype types[4], element;
  const int combiners[4] = {MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK,
                            MPI_COMBINER_HINDEXED_BLOCK};
  const int expected[4][5] = {{2, 2, 3, 1, 5}, {2, 2, 3}, {2, 3, 1, 5}, {2, 3}}, sizes[4] = {5, 3, 4, 2};
  DO(MPI_Type_indexed(2, lengths, at, MPI_INT, &types[0]));
  DO(MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &types[1]));
  DO(MPI_Type_create_indexed_block(2, 3, at, MPI_INT, &types[2]));
  DO(MPI_Type_create_hindexed_block(2, 3, bytes, MPI_INT, &types[3]));
  for (int i = 0; i < 4; ++i) {
    const int has_addresses = i % 2;
    int integers, addresses, datatypes, combiner, values[5];
    MPI_Aint where[2], low, length;
    DO(MPI_Type_get_envelope(types[i], &integers, &addresses, &datatypes, &combiner));
    CHECK(integers == sizes[i] && addresses == 2 * has_addresses && datatypes == 1 && combiner == combiners[i]);
    DO(MPI_Type_get_contents(types[i], integers, addresses, 1, values, where, &element));
    CHECK(element == MPI_INT && memcmp(values, expected[i], sizes[i] * sizeof(int)) == 0);
    if (has_addresses) CHECK(where[0] == 8 && where[1] == 40);
    DO(MPI_Type_get_true_extent(types[i], &low, &length));
    CHECK(low == (has_addresses ? 8 : 4) && low + length == (has_addresses ? 52 : 32));
    DO(MPI_Type_free(&types[i]));
  }
}

static void elements(void) {
  MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
  int lengths[2] = {2, 1}, count, data[6] = {0};
  MPI_Aint at[2] = {0, 8};
  MPI_Status status;
  DO(MPI_Type_create_struct(2, lengths, at, types, &type));
  DO(MPI_Type_commit(&type));
  for (int ints = 0; ints <= 6; ++ints) { /* a struct is two ints and as many bytes as two more */
    const int expected[7] = {0, 1, 2, MPI_UNDEFINED, 3, 4, 5};
    DO(MPI_Status_set_elements(&status, MPI_INT, ints));
    DO(MPI_Get_elements(&status, type, &count));
    CHECK(count == expected[ints]);
    DO(MPI_Get_count(&status, type, &count));
    CHECK(count == (ints % 4 == 0 ? ints / 4 : MPI_UNDEFINED));
  }
  DO(MPI_Type_free(&type));
  DO(MPI_Send(data, 1, MPI_2INT, 0, 1, MPI_COMM_SELF));
  DO(MPI_Recv(data, 6, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
  DO(MPI_Get_elements(&status, MPI_2INT, &count));
  CHECK(count == 2);
}

static void external(void) {
  const int ints[2] = {0x01020304, -2};
  const long longs[1] = {-5};
  const double reals[1] = {1.0};
  const long double wide[2] = {1.0L, -0.1L};
  long double wide_back[2] = {0, 0};
  int ints_back[2] = {0, 0};
  long longs_back[1] = {0};
  unsigned char packed[64];
  MPI_Aint position = 0, bytes;
  DO(MPI_Pack_external_size("external32", 2, MPI_INT, &bytes));
  CHECK(bytes == 8);
  DO(MPI_Pack_external("external32", ints, 2, MPI_INT, packed, 64, &position));
  CHECK(position == 8 && !memcmp(packed, "\1\2\3\4\xff\xff\xff\xfe", 8));
  DO(MPI_Pack_external("external32", reals, 1, MPI_DOUBLE, packed, 64, &position));
  CHECK(position == 16 && !memcmp(packed + 8, "\x3f\xf0\0\0\0\0\0\0", 8));
  position = 0;
  DO(MPI_Unpack_external("external32", packed, 16, &position, ints_back, 2, MPI_INT));
  CHECK(position == 8 && ints_back[0] == ints[0] && ints_back[1] == -2);
#ifdef PURE_MPI_H /* others differ here from the standard's sizes */
  position = 0;
  DO(MPI_Pack_external("external32", longs, 1, MPI_LONG, packed, 64, &position));
  CHECK(position == 4 && !memcmp(packed, "\xff\xff\xff\xfb", 4));
  position = 0;
  DO(MPI_Unpack_external("external32", packed, 4, &position, longs_back, 1, MPI_LONG));
  CHECK(longs_back[0] == -5);
  position = 0;
  DO(MPI_Pack_external("external32", wide, 2, MPI_LONG_DOUBLE, packed, 64, &position));
  CHECK(position == 32 && !memcmp(packed, "\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
  position = 0;
  DO(MPI_Unpack_external("external32", packed, 32, &position, wide_back, 2, MPI_LONG_DOUBLE));
  CHECK(wide_back[0] == wide[0] && wide_back[1] == wide[1]);
#else
  (void)longs, (void)longs_back, (void)wide, (void)wide_back;
#endif
  FAILS(MPI_Pack_external("external64", ints, 2, MPI_INT, packed, 64, &position), MPI_ERR_UNSUPPORTED_DATAREP);
}

static void absolute(void) {
  int a = 17, b = 23, got[2] = {0, 0}, lengths[2] = {1, 1};
  MPI_Aint at[2];
  MPI_Datatype type, types[2] = {MPI_INT, MPI_INT};
  DO(MPI_Get_address(&a, &at[0]));
  DO(MPI_Get_address(&b, &at[1]));
  DO(MPI_Type_create_struct(2, lengths, at, types, &type));
  FAILS(MPI_Send(MPI_BOTTOM, 1, type, 0, 1, MPI_COMM_SELF), MPI_ERR_TYPE); /* not committed */
  DO(MPI_Type_commit(&type));
  DO(MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 1, got, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  CHECK(got[0] == 17 && got[1] == 23);
  DO(MPI_Type_free(&type));
}

static void by_properties(void) {
  MPI_Datatype type, again;
  int bytes, integers, addresses, datatypes, combiner, asked[2];
  double mine = rank + 0.5, sum;
  DO(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  DO(MPI_Type_size(type, &bytes));
  CHECK(bytes == 8);
#ifdef PURE_MPI_H /* others have these for Fortran only */
  DO(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type));
  DO(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &again));
  CHECK(type == again);
  DO(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
  CHECK(combiner == MPI_COMBINER_F90_REAL && integers == 2 && datatypes == 0);
  DO(MPI_Type_get_contents(type, 2, 0, 0, asked, NULL, NULL));
  CHECK(asked[0] == 10 && asked[1] == MPI_UNDEFINED);
  DO(MPI_Allreduce(&mine, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum == size * size / 2.0);
  FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
  DO(MPI_Type_create_f90_integer(5, &type));
  DO(MPI_Type_size(type, &bytes));
  CHECK(bytes == 4);
  DO(MPI_Type_create_f90_complex(3, 3, &type));
  DO(MPI_Type_size(type, &bytes));
  CHECK(bytes == 8);
  FAILS(MPI_Type_create_f90_real(1000, 3, &type), MPI_ERR_ARG);
#else
  (void)again, (void)integers, (void)addresses, (void)datatypes, (void)combiner, (void)asked, (void)mine, (void)sum;
#endif
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  DO(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  bounds();
  constructors();
  contents();
  contents_of_indexed();
  elements();
  external();
  absolute();
  by_properties();
  return end();
}
