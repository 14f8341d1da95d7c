/* Every constant of an MPI's header goes through a call and comes back as itself. Compiled with that MPI's own wrapper,
 * run by 2 ranks; names.h has the constants that the header knows (names.py). What is wrong is printed, and counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

static int rank, ranks, wrong;

#define CHECK(what)                                                    \
  do {                                                                 \
    if (!(what)) {                                                     \
      printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #what); \
      ++wrong;                                                         \
    }                                                                  \
  } while (0)
#define CHECK_OF(name, what)                                                     \
  do {                                                                           \
    if (!(what)) {                                                               \
      printf("rank %d, line %d: %s: not so: %s\n", rank, __LINE__, name, #what); \
      ++wrong;                                                                   \
    }                                                                            \
  } while (0)

/* ---- handles: through Fortran's numbers, and through what makes or copies them ---- */

static void datatypes(void) {
  static const struct {
    MPI_Datatype type;
    const char* name;
  } all[] = {DATATYPES};
  size_t i;
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    MPI_Datatype type = all[i].type, row = MPI_DATATYPE_NULL, inner = MPI_DATATYPE_NULL, again;
    const char* name = all[i].name;
    int size = -1, whole = -1, counts[4], integers[2], length = 0;
    char text[MPI_MAX_OBJECT_NAME];
    MPI_Aint lower, extent, address;
    CHECK_OF(name, MPI_Type_f2c(MPI_Type_c2f(type)) == type);
    if (type == MPI_DATATYPE_NULL) continue; /* what this MPI has not got */
    CHECK_OF(name, MPI_Type_size(type, &size) == MPI_SUCCESS && size >= 0);
    CHECK_OF(name, MPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS);
    CHECK_OF(name, MPI_Type_get_envelope(type, counts, counts + 1, counts + 2, counts + 3) == MPI_SUCCESS);
    CHECK_OF(name, counts[3] == MPI_COMBINER_NAMED);
    CHECK_OF(name, MPI_Type_get_name(type, text, &length) == MPI_SUCCESS && (int)strlen(text) == length && length > 0);
    CHECK_OF(name, MPI_Type_contiguous(3, type, &row) == MPI_SUCCESS && MPI_Type_size(row, &whole) == MPI_SUCCESS);
    CHECK_OF(name, whole == 3 * size);
    CHECK_OF(name, MPI_Type_get_envelope(row, counts, counts + 1, counts + 2, counts + 3) == MPI_SUCCESS);
    CHECK_OF(name, counts[0] == 1 && counts[2] == 1 && counts[3] == MPI_COMBINER_CONTIGUOUS);
    CHECK_OF(name, MPI_Type_get_contents(row, 1, 0, 1, integers, &address, &inner) == MPI_SUCCESS);
    again = inner; /* another name of the same type may come back */
    CHECK_OF(name, integers[0] == 3 && MPI_Type_size(again, &whole) == MPI_SUCCESS && whole == size);
    CHECK_OF(name, inner == type || IS_SECOND_NAME(name));
    CHECK_OF(name, MPI_Type_f2c(MPI_Type_c2f(row)) == row);
    CHECK_OF(name, MPI_Type_free(&row) == MPI_SUCCESS && row == MPI_DATATYPE_NULL);
  }
}

static void sizes(void) {
#define SIZE(type, c_type)                                                                     \
  do {                                                                                         \
    int size = 0;                                                                              \
    CHECK_OF(#type, MPI_Type_size(type, &size) == MPI_SUCCESS && size == (int)sizeof(c_type)); \
  } while (0)
  SIZE(MPI_CHAR, char);
  SIZE(MPI_SHORT, short);
  SIZE(MPI_INT, int);
  SIZE(MPI_LONG, long);
  SIZE(MPI_LONG_LONG, long long);
  SIZE(MPI_UNSIGNED, unsigned);
  SIZE(MPI_FLOAT, float);
  SIZE(MPI_DOUBLE, double);
  SIZE(MPI_LONG_DOUBLE, long double);
  SIZE(MPI_AINT, MPI_Aint);
  SIZE(MPI_COUNT, MPI_Count);
  SIZE(MPI_OFFSET, MPI_Offset);
  SIZE(MPI_INTEGER, MPI_Fint);
  SIZE(MPI_C_BOOL, _Bool);
  SIZE(MPI_C_DOUBLE_COMPLEX, double _Complex);
  SIZE(MPI_WCHAR, int);
  SIZE(MPI_BYTE, char);
}

static int calls_of_function;
static MPI_Datatype type_of_function;
static void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  int i;
  ++calls_of_function;
  if (*type != type_of_function) ++wrong, printf("rank %d: the operator gets another datatype\n", rank);
  for (i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

#if MPI_VERSION >= 4
static void combine_large(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  MPI_Count i;
  if (*type != MPI_INT) ++wrong, printf("rank %d: the large operator gets another datatype\n", rank);
  if (*length < 1 || *length > 3) {
    ++wrong, printf("rank %d: the large operator gets another length\n", rank);
    return;
  }
  for (i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
#endif

static void operators(void) {
  static const struct {
    MPI_Op op;
    const char* name;
  } all[] = {OPERATORS};
  size_t i;
  MPI_Op made = MPI_OP_NULL;
  int sent = rank + 1, got = 0, commutes = -1, pair[2] = {10 - rank, rank}, best[2];
  MPI_Datatype derived;
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    CHECK_OF(all[i].name, MPI_Op_f2c(MPI_Op_c2f(all[i].op)) == all[i].op);
    if (all[i].op == MPI_OP_NULL) continue;
    CHECK_OF(all[i].name, MPI_Op_commutative(all[i].op, &commutes) == MPI_SUCCESS && (commutes == 0 || commutes == 1));
  }
#define REDUCES(op, expected) \
  CHECK(MPI_Allreduce(&sent, &got, 1, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS && got == (expected))
  REDUCES(MPI_SUM, 3);
  REDUCES(MPI_PROD, 2);
  REDUCES(MPI_MAX, 2);
  REDUCES(MPI_MIN, 1);
  REDUCES(MPI_BAND, 0);
  REDUCES(MPI_BOR, 3);
  REDUCES(MPI_BXOR, 3);
  REDUCES(MPI_LAND, 1);
  REDUCES(MPI_LOR, 1);
  REDUCES(MPI_LXOR, 0);
  CHECK(MPI_Allreduce(pair, best, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD) == MPI_SUCCESS && best[0] == 10 &&
        best[1] == 0);
  CHECK(MPI_Allreduce(pair, best, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD) == MPI_SUCCESS && best[0] == 9 &&
        best[1] == 1);
  CHECK(MPI_Op_create(combine, 1, &made) == MPI_SUCCESS && MPI_Op_f2c(MPI_Op_c2f(made)) == made);
  type_of_function = MPI_INT;
  REDUCES(made, 3);
  MPI_Type_contiguous(1, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  type_of_function = derived;
  CHECK(MPI_Allreduce(&sent, &got, 1, derived, made, MPI_COMM_WORLD) == MPI_SUCCESS && got == 3);
  CHECK(calls_of_function > 0);
  CHECK(MPI_Type_free(&derived) == MPI_SUCCESS);
  CHECK(MPI_Op_free(&made) == MPI_SUCCESS && made == MPI_OP_NULL);
  sent = 5, got = -1;
  CHECK(MPI_Exscan(&sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && got == (rank == 0 ? -1 : 5));
  {
    /* MPI_IN_PLACE takes the place of what is received, too. */
    int all[2] = {70, 71}, mine = 72 + rank, counts[2] = {1, 1}, displs[2] = {0, 1};
    CHECK(MPI_Scatter(all, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : &mine, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(rank == 0 ? all[0] == 70 && mine == 72 : mine == 71);
    CHECK(MPI_Scatterv(all, counts, displs, MPI_INT, rank == 0 ? MPI_IN_PLACE : &mine, 1, MPI_INT, 0, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    mine = 72 + rank;
    CHECK(MPI_Gather(rank == 1 ? MPI_IN_PLACE : &mine, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(rank == 0 ? all[0] == 70 : all[0] == 72 && all[1] == 71);
    all[rank] = 80 + rank;
    CHECK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(all[0] == 80 && all[1] == 81);
    CHECK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(all[0] == 80 + rank && all[1] == 80 + rank);
  }
#if MPI_VERSION >= 4
  {
    int numbers[3] = {rank, rank + 1, rank + 2}, sums[3] = {0, 0, 0};
    CHECK(MPI_Op_create_c(combine_large, 1, &made) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(numbers, sums, 3, MPI_INT, made, MPI_COMM_WORLD) == MPI_SUCCESS && sums[0] == 1 &&
          sums[2] == 5);
    CHECK(MPI_Op_free(&made) == MPI_SUCCESS && made == MPI_OP_NULL);
  }
#endif
  got = rank + 1;
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && got == 3);
}

static void communicators(void) {
  MPI_Comm made = MPI_COMM_WORLD, self = MPI_COMM_NULL, node = MPI_COMM_NULL;
  MPI_Group world, other, none = MPI_GROUP_NULL;
  int result = -1, translated[2], from[2] = {0, MPI_PROC_NULL}, flag = -1, its = -1;
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD &&
        MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) == MPI_COMM_SELF);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result) == MPI_SUCCESS && result == MPI_IDENT);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &made) == MPI_SUCCESS && MPI_Comm_f2c(MPI_Comm_c2f(made)) == made);
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, made, &result) == MPI_SUCCESS && result == MPI_CONGRUENT);
  CHECK(MPI_Comm_free(&made) == MPI_SUCCESS && made == MPI_COMM_NULL);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made) == MPI_SUCCESS);
  CHECK(MPI_Comm_compare(MPI_COMM_WORLD, made, &result) == MPI_SUCCESS && result == MPI_SIMILAR);
  CHECK(MPI_Comm_compare(MPI_COMM_SELF, made, &result) == MPI_SUCCESS && result == MPI_UNEQUAL);
  MPI_Comm_free(&made);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &self) == MPI_SUCCESS);
  CHECK((self == MPI_COMM_NULL) == (rank == 0));
  if (self != MPI_COMM_NULL) MPI_Comm_free(&self);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS &&
        node != MPI_COMM_NULL);
  MPI_Comm_free(&node);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS &&
        node == MPI_COMM_NULL);
  CHECK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 0);

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(world)) == world &&
        MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_NULL)) == MPI_GROUP_NULL);
  MPI_Comm_group(MPI_COMM_SELF, &other);
  CHECK(MPI_Group_translate_ranks(world, 2, from, other, translated) == MPI_SUCCESS);
  CHECK(translated[0] == (rank == 0 ? 0 : MPI_UNDEFINED) && translated[1] == MPI_PROC_NULL);
  CHECK(MPI_Group_compare(world, other, &result) == MPI_SUCCESS && result == MPI_UNEQUAL);
  CHECK(MPI_Group_difference(world, world, &none) == MPI_SUCCESS && none == MPI_GROUP_EMPTY);
  CHECK(MPI_Group_rank(MPI_GROUP_EMPTY, &its) == MPI_SUCCESS && its == MPI_UNDEFINED);
  CHECK(MPI_Group_free(&world) == MPI_SUCCESS && world == MPI_GROUP_NULL);
  MPI_Group_free(&other);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL &&
        MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_ARE_FATAL)) == MPI_ERRORS_ARE_FATAL);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRHANDLER_NULL)) == MPI_ERRHANDLER_NULL);
}

/* ---- messages ---- */

static void messages(void) {
  MPI_Status status, all[3];
  MPI_Request request = MPI_REQUEST_NULL, several[3];
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Fint numbers[8];
  int sent[4] = {1, 2, 3, 4}, got[4], count = -1, flag = -1, index = -1, indices[3], done = -1, other = 1 - rank;
  memset(&status, 0x55, sizeof status);
  CHECK(MPI_Recv(got, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == 0x55555555);
  CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 0);
  CHECK(MPI_Isend(sent, 4, MPI_INT, other, 7, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
  CHECK(MPI_Recv(got, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == other && status.MPI_TAG == 7 && got[3] == 4);
  CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 4);
  CHECK(MPI_Get_elements(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == 16);
  CHECK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
  CHECK(MPI_Status_c2f(&status, numbers) == MPI_SUCCESS && MPI_Status_f2c(numbers, all) == MPI_SUCCESS);
  CHECK(all[0].MPI_SOURCE == other && all[0].MPI_TAG == 7 && MPI_Get_count(all, MPI_INT, &count) == MPI_SUCCESS &&
        count == 4);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE &&
        status.MPI_TAG == MPI_ANY_TAG);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 0);
  several[0] = several[1] = several[2] = MPI_REQUEST_NULL;
  CHECK(MPI_Waitany(3, several, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
  CHECK(MPI_Waitsome(3, several, &done, indices, all) == MPI_SUCCESS && done == MPI_UNDEFINED);
  CHECK(MPI_Irecv(got, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, several + 1) == MPI_SUCCESS);
  CHECK(MPI_Waitany(3, several, &index, &status) == MPI_SUCCESS && index == 1 && status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(several[1] == MPI_REQUEST_NULL);
  CHECK(MPI_Recv_init(got, 4, MPI_INT, other, 3, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
        MPI_Start(&request) == MPI_SUCCESS);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS &&
        request != MPI_REQUEST_NULL);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag != 0);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(got, 4, MPI_INT, &message, &status) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
  CHECK(MPI_Isend(sent, 2, MPI_INT, other, 8, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Mprobe(other, 8, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(message)) == message && message != MPI_MESSAGE_NULL &&
        message != MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(got, 4, MPI_INT, &message, &status) == MPI_SUCCESS && status.MPI_TAG == 8 &&
        message == MPI_MESSAGE_NULL);
  CHECK(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &status) == MPI_SUCCESS && flag == 0);
  {
    MPI_Datatype at_bottom;
    MPI_Aint place;
    int one = 1, mine = rank + 40;
    MPI_Get_address(&mine, &place);
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &at_bottom);
    MPI_Type_commit(&at_bottom);
    CHECK(MPI_Sendrecv(MPI_BOTTOM, 1, at_bottom, other, 9, got, 1, MPI_INT, other, 9, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(got[0] == other + 40);
    MPI_Type_free(&at_bottom);
  }
  {
    /* As large as the header says that it has to be. */
    int bytes = (int)sizeof sent + MPI_BSEND_OVERHEAD, size = 0;
    void *memory = malloc((size_t)bytes), *back = NULL;
    CHECK(MPI_Buffer_attach(memory, bytes) == MPI_SUCCESS);
    CHECK(MPI_Bsend(sent, 4, MPI_INT, other, 10, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Recv(got, 4, MPI_INT, other, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == memory && size == bytes);
    free(memory);
  }
}

/* Numbers of bytes that need every bit of what a status has for them. */
static void statuses(void) {
  static const MPI_Count sizes[] = {0, 1, 0x7fffffff, 0x80000000LL, 0xffffffffLL, 0x100000000LL, 0x2345678901LL};
  MPI_Status status, copied;
  MPI_Fint numbers[8];
  MPI_Count many;
  int i, flag;
  memset(&status, 0, sizeof status);
  for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); ++i) {
    CHECK(MPI_Status_set_elements_x(&status, MPI_BYTE, sizes[i]) == MPI_SUCCESS);
    CHECK(MPI_Status_set_cancelled(&status, i % 2) == MPI_SUCCESS);
    CHECK(MPI_Get_elements_x(&status, MPI_BYTE, &many) == MPI_SUCCESS && many == sizes[i]);
    CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == i % 2);
    CHECK(MPI_Status_c2f(&status, numbers) == MPI_SUCCESS && MPI_Status_f2c(numbers, &copied) == MPI_SUCCESS);
    CHECK(MPI_Get_elements_x(&copied, MPI_BYTE, &many) == MPI_SUCCESS && many == sizes[i]);
  }
#ifdef MPICH_VERSION
  {
    /* Which of several has failed, and how: MPI_ERR_IN_STATUS. */
    MPI_Request requests[2];
    MPI_Status both[2];
    int sent[2] = {1, 2}, got[2], code, class = -1;
    MPI_Request sends[2];
    MPI_Isend(sent, 1, MPI_INT, rank, 31, MPI_COMM_WORLD, sends);
    MPI_Isend(sent, 2, MPI_INT, rank, 32, MPI_COMM_WORLD, sends + 1);
    MPI_Irecv(got, 1, MPI_INT, rank, 31, MPI_COMM_WORLD, requests);
    MPI_Irecv(got + 1, 1, MPI_INT, rank, 32, MPI_COMM_WORLD, requests + 1);
    code = MPI_Waitall(2, requests, both);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS &&
          both[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(MPI_Error_class(both[1].MPI_ERROR, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  }
#endif
}

/* ---- datatypes' contents, topologies ---- */

static void contents(void) {
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

static void topologies(void) {
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

static void attributes(void) {
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

static void windows(void) {
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

/* ---- errors ---- */

static int handled, code_of_handler;
static MPI_Comm comm_of_handler;
static void handle(MPI_Comm* comm, int* code, ...) {
  ++handled;
  comm_of_handler = *comm;
  code_of_handler = *code;
}

static void errors(void) {
  static const struct {
    int code;
    const char* name;
  } all[] = {CLASSES};
  size_t i;
  char text[MPI_MAX_ERROR_STRING];
  int length, class, code, own_class, own_code, *last, flag;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, found;
  MPI_Comm made;
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    class = -1;
    CHECK_OF(all[i].name, MPI_Error_class(all[i].code, &class) == MPI_SUCCESS && class == all[i].code);
    CHECK_OF(all[i].name,
             MPI_Error_string(all[i].code, text, &length) == MPI_SUCCESS && length == (int)strlen(text) && length > 0);
    if (all[i].code == MPI_SUCCESS) continue;
    handled = 0;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_set_errhandler(made, handler);
    MPI_Comm_call_errhandler(made, all[i].code);
    CHECK_OF(all[i].name, handled == 1 && code_of_handler == all[i].code && comm_of_handler == made);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);
    CHECK(MPI_Comm_get_errhandler(made, &found) == MPI_SUCCESS && found == handler);
    MPI_Errhandler_free(&found);
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    MPI_Comm_free(&made);
  }
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == MPI_ERRORS_RETURN);
  code = MPI_Send(&code, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_RANK);
  code = MPI_Send(&code, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_COUNT);
  code = MPI_Send(&code, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TAG);
  code = MPI_Send(&code, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TYPE);
  code = MPI_Send(&code, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_COMM);
  CHECK(MPI_Add_error_class(&own_class) == MPI_SUCCESS && own_class > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_code(own_class, &own_code) == MPI_SUCCESS && own_code > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_string(own_code, "a program's own") == MPI_SUCCESS);
  CHECK(MPI_Error_class(own_code, &class) == MPI_SUCCESS && class == own_class);
  CHECK(MPI_Error_string(own_code, text, &length) == MPI_SUCCESS && strcmp(text, "a program's own") == 0);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag) == MPI_SUCCESS && flag);
  {
    MPI_Status status;
    MPI_Request request;
    int two[2] = {1, 2}, got = 0;
    MPI_Isend(two, 2, MPI_INT, rank, 21, MPI_COMM_WORLD, &request);
    code = MPI_Recv(&got, 1, MPI_INT, rank, 21, MPI_COMM_WORLD, &status);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* ---- limits: what is written ends where the header says ---- */

static void limits(void) {
  char text[16 + (MPI_MAX_LIBRARY_VERSION_STRING > MPI_MAX_ERROR_STRING ? MPI_MAX_LIBRARY_VERSION_STRING
                                                                        : MPI_MAX_ERROR_STRING)];
  char name[MPI_MAX_OBJECT_NAME], key[MPI_MAX_INFO_KEY + 1];
  int length = -1, major = -1, minor = -1, keys = -1, i;
  MPI_Info info = MPI_INFO_NULL;
#define IS_BOUNDED(call, limit)                                                                   \
  do {                                                                                            \
    memset(text, 'x', sizeof text);                                                               \
    CHECK(call == MPI_SUCCESS && length < (limit) && text[length] == '\0' && text[limit] == 'x'); \
  } while (0)
  IS_BOUNDED(MPI_Get_library_version(text, &length), MPI_MAX_LIBRARY_VERSION_STRING);
  IS_BOUNDED(MPI_Get_processor_name(text, &length), MPI_MAX_PROCESSOR_NAME);
  IS_BOUNDED(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length), MPI_MAX_ERROR_STRING);
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  CHECK(MPI_Comm_set_name(MPI_COMM_SELF, name) == MPI_SUCCESS);
  IS_BOUNDED(MPI_Comm_get_name(MPI_COMM_SELF, text, &length), MPI_MAX_OBJECT_NAME);
  CHECK(strcmp(text, name) == 0);
  CHECK(MPI_Get_version(&major, &minor) == MPI_SUCCESS && major == MPI_VERSION && minor == MPI_SUBVERSION);
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL &&
        MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
  for (i = 0; i + 1 < MPI_MAX_INFO_KEY; ++i) key[i] = 'k';
  key[MPI_MAX_INFO_KEY - 1] = '\0';
  CHECK(MPI_Info_set(info, key, "value") == MPI_SUCCESS && MPI_Info_get_nkeys(info, &keys) == MPI_SUCCESS && keys == 1);
  memset(text, 'x', sizeof text);
  CHECK(MPI_Info_get_nthkey(info, 0, text) == MPI_SUCCESS && strcmp(text, key) == 0);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
}

int main(int argc, char** argv) {
  int level = -1, provided = -1, all = 0;
  const int wanted = argc > 1 ? atoi(argv[1]) : MPI_THREAD_SERIALIZED;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(provided == wanted && MPI_Query_thread(&level) == MPI_SUCCESS && level == provided);
  if (ranks != 2) return printf("this is for 2 ranks\n"), MPI_Abort(MPI_COMM_WORLD, 3);
  datatypes();
  sizes();
  operators();
  communicators();
  messages();
  statuses();
  contents();
  topologies();
  attributes();
  windows();
  errors();
  limits();
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
