/* Every constant of an MPI's header goes through a call and comes back as itself. Compiled with that MPI's own wrapper,
 * run by 2 ranks. What is wrong is printed, and counted. */
#include "checked.h"

int rank, ranks, wrong;

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
  many_requests();
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
