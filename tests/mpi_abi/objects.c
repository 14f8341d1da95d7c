/* Errors and their handlers, info, attributes, names, groups, communicators. */
#include "check.h"

// ---- errors ----

static MPI_Comm handled;
static int handled_code, handled_times;
static void handle(MPI_Comm* comm, int* code, ...) {
  handled = *comm;
  handled_code = *code;
  ++handled_times;
}

static void errors(void) {
  MPI_Errhandler handler, other;
  MPI_Comm dup;
  int class, code, again, length, value = 1, *last, flag;
  char text[MPI_MAX_ERROR_STRING];
  DO(MPI_Comm_create_errhandler(handle, &handler));
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
  FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  CHECK(handled == MPI_COMM_WORLD && handled_times == 1);
  DO(MPI_Comm_dup(MPI_COMM_WORLD, &dup)); /* has the same handler */
  FAILS(MPI_Send(&value, -1, MPI_INT, 0, 0, dup), MPI_ERR_COUNT);
  CHECK(handled == dup && handled_times == 2);
  DO(MPI_Comm_get_errhandler(dup, &other));
  CHECK(other == handler);
  DO(MPI_Errhandler_free(&other));
  DO(MPI_Errhandler_free(&handler));
  CHECK(handler == MPI_ERRHANDLER_NULL);
  DO(MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER)); /* it lasts as long as a communicator has it */
  CHECK(handled_times == 3 && handled_code == MPI_ERR_OTHER);
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  DO(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  DO(MPI_Comm_call_errhandler(dup, MPI_ERR_TAG)); /* the duplicate's is the last */
  CHECK(handled_times == 4 && handled_code == MPI_ERR_TAG);
  DO(MPI_Comm_free(&dup));

  DO(MPI_Add_error_class(&class));
  DO(MPI_Add_error_code(class, &code));
  DO(MPI_Add_error_string(code, "of our own"));
  DO(MPI_Error_class(code, &again));
  CHECK(again == class && class > MPI_ERR_LASTCODE - 1 && code > class - 1);
  DO(MPI_Error_string(code, text, &length));
  CHECK(!strcmp(text, "of our own") && length == 10);
  DO(MPI_Error_string(class, text, &length));
  CHECK(length == 0);
  DO(MPI_Error_class(MPI_ERR_TAG, &again));
  CHECK(again == MPI_ERR_TAG);
  DO(MPI_Error_string(MPI_ERR_TAG, text, &length));
  CHECK(length > 0 && length == (int)strlen(text));
  DO(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  CHECK(flag && *last >= code);
  FAILS(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
  FAILS(MPI_Type_size(MPI_DATATYPE_NULL, &value), MPI_ERR_TYPE);
#if MPI_VERSION >= 5
  FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG); /* it has a code */
  FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);   /* which has a text */
  DO(MPI_Remove_error_string(code));
  DO(MPI_Remove_error_code(code));
  DO(MPI_Remove_error_class(class));
  FAILS(MPI_Error_class(class, &again), MPI_ERR_ARG);
#endif
}

// ---- info ----

static void infos(void) {
  MPI_Info info, dup;
  char key[MPI_MAX_INFO_KEY], value[20];
  int count, flag, length;
  DO(MPI_Info_create(&info));
  DO(MPI_Info_set(info, "second", "2"));
  DO(MPI_Info_set(info, "first", "one and more"));
  DO(MPI_Info_set(info, "second", "two"));
  DO(MPI_Info_get_nkeys(info, &count));
  CHECK(count == 2);
  DO(MPI_Info_get_nthkey(info, 0, key));
  CHECK(!strcmp(key, "second"));
  DO(MPI_Info_get(info, "second", 19, value, &flag));
  CHECK(flag && !strcmp(value, "two"));
  DO(MPI_Info_get(info, "first", 3, value, &flag));
  CHECK(flag && !strcmp(value, "one"));
  DO(MPI_Info_get(info, "third", 3, value, &flag));
  CHECK(!flag);
  DO(MPI_Info_get_valuelen(info, "first", &length, &flag));
  CHECK(flag && length == 12);
  DO(MPI_Info_dup(info, &dup));
  DO(MPI_Info_delete(info, "second"));
  FAILS(MPI_Info_delete(info, "second"), MPI_ERR_INFO_NOKEY);
  DO(MPI_Info_get_nkeys(dup, &count));
  CHECK(count == 2);
#if MPI_VERSION >= 4
  length = 4;
  DO(MPI_Info_get_string(dup, "first", &length, value, &flag));
  CHECK(flag && length == 13 && !strcmp(value, "one"));
#endif
  DO(MPI_Info_set(dup, "first", " x ")); /* blanks count: only Fortran strips them */
  DO(MPI_Info_set(dup, " first ", " y"));
  DO(MPI_Info_get_nkeys(dup, &count));
  CHECK(count == 3);
  DO(MPI_Info_get(dup, "first", 19, value, &flag));
  CHECK(flag && !strcmp(value, " x "));
  DO(MPI_Info_get(dup, " first ", 19, value, &flag));
  CHECK(flag && !strcmp(value, " y"));
  DO(MPI_Info_free(&info));
  DO(MPI_Info_free(&dup));
  CHECK(info == MPI_INFO_NULL);
}

// ---- attributes ----

static char log_of_calls[100];
static int is_refusing;
static int copy(MPI_Comm comm, int key, void* extra, void* value, void* to, int* flag) {
  (void)comm, (void)key;
  strcat(log_of_calls, (const char*)extra);
  *(void**)to = (char*)value + 1;
  *flag = value != NULL;
  return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value;
  if (is_refusing) return MPI_ERR_OTHER;
  strcat(log_of_calls, ((const char*)extra)[0] == 'a' ? "A" : "B");
  return MPI_SUCCESS;
}
static int delete_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static void attributes(void) {
  static char values[10];
  int a, b, freed, type_key, flag, deleted = 0, *bound;
  char* got;
  MPI_Comm first, second;
  MPI_Datatype type, dup;
  DO(MPI_Comm_create_keyval(copy, delete, &a, "a"));
  DO(MPI_Comm_create_keyval(copy, delete, &b, "b"));
  DO(MPI_Comm_dup(MPI_COMM_SELF, &first));
  DO(MPI_Comm_get_attr(first, a, &got, &flag));
  CHECK(!flag);
  DO(MPI_Comm_set_attr(first, a, values));
  DO(MPI_Comm_set_attr(first, b, values + 4));
  DO(MPI_Comm_set_attr(first, a, values + 1));
  CHECK(!strcmp(log_of_calls, "A")); /* the value that was there is deleted */
  DO(MPI_Comm_dup(first, &second));
  DO(MPI_Comm_get_attr(second, b, &got, &flag));
  CHECK(flag && got == values + 5);
  DO(MPI_Comm_delete_attr(second, a));
  DO(MPI_Comm_get_attr(second, a, &got, &flag));
  CHECK(!flag && strlen(log_of_calls) == 4);
  freed = a;
  DO(MPI_Comm_free_keyval(&a)); /* it lasts as long as values have it */
  CHECK(a == MPI_KEYVAL_INVALID);
  DO(MPI_Comm_get_attr(first, freed, &got, &flag));
  CHECK(flag && got == values + 1);
  is_refusing = 1;
  CHECK(MPI_Comm_free(&first) != MPI_SUCCESS && first != MPI_COMM_NULL);
  is_refusing = 0;
  DO(MPI_Comm_free(&first));
  DO(MPI_Comm_free(&second));
  CHECK(strlen(log_of_calls) == 7);
  DO(MPI_Comm_free_keyval(&b));
  DO(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag));
  CHECK(flag && *bound >= 32767);
  DO(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &bound, &flag));
  CHECK(!flag || *bound >= size);

  DO(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, delete_of_type, &type_key, &deleted));
  DO(MPI_Type_contiguous(2, MPI_INT, &type));
  DO(MPI_Type_set_attr(type, type_key, values));
  DO(MPI_Type_dup(type, &dup));
  DO(MPI_Type_get_attr(dup, type_key, &got, &flag));
  CHECK(flag && got == values);
  DO(MPI_Type_free(&type));
  CHECK(deleted == 1);
  DO(MPI_Type_free(&dup));
  CHECK(deleted == 2);
  DO(MPI_Type_free_keyval(&type_key));
}

// ---- groups and communicators ----

static void groups(void) {
  MPI_Group world, odd, even, both;
  int n = 0, ranks[64], result, value, ranges[1][3] = {{0, size - 1, 2}};
  DO(MPI_Comm_group(MPI_COMM_WORLD, &world));
  for (int r = 1; r < size; r += 2) ranks[n++] = r;
  DO(MPI_Group_incl(world, n, ranks, &odd));
  DO(MPI_Group_range_incl(world, 1, ranges, &even));
  DO(MPI_Group_union(odd, even, &both));
  DO(MPI_Group_compare(both, world, &result));
  CHECK(result == (size < 2 ? MPI_IDENT : MPI_SIMILAR));
  DO(MPI_Group_free(&both));
  DO(MPI_Group_intersection(odd, even, &both));
  CHECK(both == MPI_GROUP_EMPTY);
  DO(MPI_Group_difference(world, odd, &both));
  DO(MPI_Group_compare(both, even, &result));
  CHECK(result == MPI_IDENT);
  DO(MPI_Group_rank(odd, &value));
  CHECK(value == (rank % 2 == 1 ? rank / 2 : MPI_UNDEFINED));
  value = rank;
  DO(MPI_Group_translate_ranks(world, 1, &value, even, &result));
  CHECK(result == (rank % 2 == 0 ? rank / 2 : MPI_UNDEFINED));
  DO(MPI_Group_size(even, &value));
  CHECK(value == (size + 1) / 2);
  {
    MPI_Comm made, made_by_members;
    DO(MPI_Comm_create(MPI_COMM_WORLD, even, &made));
    CHECK((made == MPI_COMM_NULL) == (rank % 2 == 1));
    made_by_members = MPI_COMM_NULL;
    if (rank % 2 == 0) {
      DO(MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &made_by_members));
      DO(MPI_Comm_compare(made, made_by_members, &result));
      CHECK(result == MPI_CONGRUENT);
      DO(MPI_Comm_compare(made, made, &result));
      CHECK(result == MPI_IDENT);
      DO(MPI_Comm_free(&made));
      DO(MPI_Comm_disconnect(&made_by_members));
      CHECK(made_by_members == MPI_COMM_NULL);
    }
  }
  DO(MPI_Group_free(&odd));
  DO(MPI_Group_free(&even));
  DO(MPI_Group_free(&both));
  DO(MPI_Group_free(&world));
  CHECK(world == MPI_GROUP_NULL);
}

static void communicators(void) {
  MPI_Comm part, machine;
  char name[MPI_MAX_OBJECT_NAME];
  int length, value, sum, flag;
  DO(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(!strcmp(name, "MPI_COMM_WORLD") && length == 14);
  DO(MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 5 : MPI_UNDEFINED, -rank, &part));
  CHECK((part == MPI_COMM_NULL) == (rank % 2 == 1));
  if (part != MPI_COMM_NULL) {
    DO(MPI_Comm_get_name(part, name, &length));
    CHECK(length == 0);
    DO(MPI_Comm_set_name(part, "evens"));
    DO(MPI_Comm_get_name(part, name, &length));
    CHECK(!strcmp(name, "evens"));
    DO(MPI_Comm_rank(part, &value));
    CHECK(value == (size - 1) / 2 - rank / 2); /* the last is the first */
    DO(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part));
    value = (size + 1) / 2;
    CHECK(sum == value * (value - 1));
    DO(MPI_Comm_test_inter(part, &flag));
    CHECK(!flag);
    DO(MPI_Comm_free(&part));
  }
  DO(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
  DO(MPI_Comm_size(machine, &value));
  CHECK(value >= 1 && value <= size);
  DO(MPI_Comm_free(&machine));
  {
    MPI_Comm first, second, source;
    MPI_Request both[2];
    DO(MPI_Comm_dup(MPI_COMM_WORLD, &source));
    DO(MPI_Comm_idup(source, &first, &both[0]));
    DO(MPI_Comm_idup(MPI_COMM_WORLD, &second, &both[1]));
    DO(MPI_Comm_free(&source)); /* what was started goes on */
    if (rank == 0) { /* a wait for something else moves it on */
      for (int r = 1; r < size; ++r) DO(MPI_Recv(&value, 1, MPI_INT, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      DO(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    } else {
      DO(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
      DO(MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
    }
    DO(MPI_Comm_compare(first, second, &value));
    CHECK(value == MPI_CONGRUENT);
    DO(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, first));
    CHECK(sum == size - 1);
    DO(MPI_Comm_free(&first));
    DO(MPI_Comm_free(&second));
  }
  FAILS(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_split(MPI_COMM_WORLD, -7, 0, &machine), MPI_ERR_ARG);
  DO(MPI_Type_get_name(MPI_DOUBLE, name, &length));
  CHECK(!strcmp(name, "MPI_DOUBLE"));
  DO(MPI_Comm_get_parent(&part));
  CHECK(part == MPI_COMM_NULL);
}

/* What programs in C call for programs in Fortran. */
static void fortran(void) {
  MPI_Comm dup;
  MPI_Status status, back;
  MPI_Fint number, as_integers[MPI_F_STATUS_SIZE];
  int value = rank, got = -1, count = 0;
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) == MPI_INT && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  DO(MPI_Comm_dup(MPI_COMM_SELF, &dup));
  number = MPI_Comm_c2f(dup);
  CHECK(number != MPI_Comm_c2f(MPI_COMM_WORLD) && MPI_Comm_f2c(number) == dup && PMPI_Comm_f2c(number) == dup);
  DO(MPI_Sendrecv(&value, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, dup, &status));
  DO(MPI_Status_c2f(&status, as_integers));
  memset(&back, 0, sizeof back);
  DO(MPI_Status_f2c(as_integers, &back));
  CHECK(back.MPI_TAG == 5 && back.MPI_SOURCE == 0);
  DO(MPI_Get_count(&back, MPI_INT, &count));
  CHECK(count == 1);
  DO(MPI_Comm_free(&dup));
}

#ifdef PURE_MPI_H
static void numbers_of_handles(void) {
  MPI_Comm dup;
  MPI_Info info, got;
  int number, flag, length = 0;
  CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(MPI_Type_toint(MPI_INT) == 0x209 && MPI_Type_fromint(0x209) == MPI_INT);
  DO(MPI_Comm_dup(MPI_COMM_SELF, &dup));
  number = MPI_Comm_toint(dup);
  CHECK(number == MPI_Comm_toint(dup) && MPI_Comm_fromint(number) == dup && number >= 4096);
  DO(MPI_Comm_free(&dup));
  /* What is freed gives its number back, some time later: there are as many as handles at a time. */
  for (int i = 0, number_before = 0; i < 2000; ++i) {
    MPI_Request request;
    MPI_Group group;
    int largest = 0;
    DO(MPI_Irecv(&flag, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
    number = MPI_Request_toint(request);
    CHECK(number > 4096 && MPI_Request_fromint(number) == request && number == MPI_Request_toint(request));
    DO(MPI_Cancel(&request));
    DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_Request_fromint(number) == 0); /* nor is it soon that of another one */
    if (i > 0) CHECK(number != number_before);
    number_before = number;
    DO(MPI_Comm_group(MPI_COMM_SELF, &group));
    number = MPI_Group_toint(group);
    CHECK(MPI_Group_fromint(number) == group);
    if (number > largest) largest = number;
    DO(MPI_Group_free(&group));
    DO(MPI_Info_create(&info));
    number = MPI_Info_toint(info);
    CHECK(MPI_Info_fromint(number) == info && number < (1 << 28) + 1000);
    DO(MPI_Info_free(&info));
    CHECK(largest < 4096 + 1000);
  }
  DO(MPI_Abi_get_info(&info));
  DO(MPI_Info_get_valuelen(info, "mpi_aint_size", &length, &flag));
  CHECK(flag && length == 1);
  DO(MPI_Info_free(&info));
  DO(MPI_Abi_get_fortran_info(&got));
  CHECK(got == MPI_INFO_NULL);
  DO(MPI_Get_hw_resource_info(&info));
  DO(MPI_Info_get_nkeys(info, &number));
  CHECK(number > 0);
  DO(MPI_Info_free(&info));
}
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
  errors();
  infos();
  attributes();
  groups();
  fortran();
#ifdef PURE_MPI_H
  numbers_of_handles();
#endif
  communicators();
  return end();
}
