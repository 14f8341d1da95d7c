/* Windows of all kinds, their synchronization, operations and attributes. */
#include "check.h"

static int next, before;

static void fences(void) {
  int memory[6], *base, flag, *unit, *flavor;
  MPI_Aint* bytes;
  MPI_Win win;
  MPI_Group group;
  MPI_Datatype second; /* every second int */
  char name[MPI_MAX_OBJECT_NAME];
  for (int i = 0; i < 6; ++i) memory[i] = -1;
  DO(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
  CHECK(flag && base == memory);
  DO(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
  CHECK(flag && *bytes == sizeof memory);
  DO(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
  CHECK(flag && *unit == sizeof(int));
  DO(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
  CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
  DO(MPI_Win_get_group(win, &group));
  DO(MPI_Group_size(group, &flag));
  CHECK(flag == size);
  DO(MPI_Group_free(&group));
  DO(MPI_Win_get_name(win, name, &flag));
  CHECK(flag == 0);
  DO(MPI_Win_set_name(win, "memory"));
  DO(MPI_Win_get_name(win, name, &flag));
  CHECK(!strcmp(name, "memory"));

  DO(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
  DO(MPI_Put(&rank, 1, MPI_INT, next, 5, 1, MPI_INT, win));
  DO(MPI_Type_vector(2, 1, 2, MPI_INT, &second));
  DO(MPI_Type_commit(&second));
  int pair[2] = {100 + rank, 200 + rank}, got[3] = {0, 0, 0};
  DO(MPI_Put(pair, 2, MPI_INT, next, 1, 1, second, win));
  DO(MPI_Win_fence(0, win));
  CHECK(memory[5] == before && memory[1] == 100 + before && memory[3] == 200 + before && memory[2] == -1);
  DO(MPI_Get(got, 1, second, next, 1, 1, second, win));
  DO(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  CHECK(got[0] == 100 + rank && got[1] == 0 && got[2] == 200 + rank);
  DO(MPI_Type_free(&second));
  DO(MPI_Win_free(&win));
  CHECK(win == MPI_WIN_NULL);
}

#ifdef PURE_MPI_H
/* To and from nobody, where no type is needed, as in messages; MPICH 5.0 and Open MPI 4.1 want one in both. */
static void nobody(void) {
  int word = 5, other = 6;
  const int to = MPI_PROC_NULL;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  MPI_Win win;
  MPI_Request requests[4];
  DO(MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Win_lock_all(0, win));
  DO(MPI_Put(&word, 1, none, to, 0, 1, none, win));
  DO(MPI_Put(&word, 1, MPI_INT, to, 0, 1, none, win));
  DO(MPI_Put(NULL, 1, none, to, 0, 1, MPI_INT, win));
  DO(MPI_Get(&other, 1, none, to, 0, 1, none, win));
  DO(MPI_Accumulate(&other, 1, none, to, 0, 1, none, MPI_SUM, win));
  DO(MPI_Accumulate(&other, 1, MPI_INT, to, 0, 1, none, MPI_SUM, win));
  DO(MPI_Get_accumulate(&other, 1, none, &other, 1, none, to, 0, 1, none, MPI_SUM, win));
  DO(MPI_Get_accumulate(NULL, 0, none, &other, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_NO_OP, win));
  DO(MPI_Fetch_and_op(&word, &other, none, to, 0, MPI_SUM, win));
  DO(MPI_Compare_and_swap(&word, &word, &other, none, to, 0, win));
  DO(MPI_Rput(&word, 1, none, to, 0, 1, none, win, &requests[0]));
  DO(MPI_Rget(&other, 1, none, to, 0, 1, none, win, &requests[1]));
  DO(MPI_Raccumulate(&word, 1, none, to, 0, 1, none, MPI_SUM, win, &requests[2]));
  DO(MPI_Rget_accumulate(NULL, 1, none, &other, 1, none, to, 0, 1, none, MPI_NO_OP, win, &requests[3]));
  DO(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  CHECK(word == 5 && other == 6);
  DO(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  FAILS(MPI_Put(&word, 1, none, rank, 0, 1, none, win), MPI_ERR_TYPE);
  FAILS(MPI_Fetch_and_op(&word, &other, none, rank, 0, MPI_SUM, win), MPI_ERR_TYPE);
  DO(MPI_Win_unlock_all(win));
  DO(MPI_Win_free(&win));
}
#endif

static void locks(void) {
  long* base;
  long one = 1, old, sum = 0, expected = 7, wanted = 1000 + rank, results[2];
  MPI_Win win;
  MPI_Request request;
  DO(MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  DO(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
  base[0] = base[1] = 0;
  base[2] = 7;
  base[3] = -5;
  DO(MPI_Win_unlock(rank, win));
  DO(MPI_Barrier(MPI_COMM_WORLD));
  DO(MPI_Win_lock_all(0, win));
  for (int r = 0; r < size; ++r) DO(MPI_Accumulate(&one, 1, MPI_LONG, r, 0, 1, MPI_LONG, MPI_SUM, win));
  DO(MPI_Win_flush_all(win));
  for (int i = 0; i < 10; ++i) {
    DO(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win));
    DO(MPI_Win_flush(0, win));
    CHECK(old >= sum); /* it only grows */
    sum = old;
  }
  DO(MPI_Compare_and_swap(&wanted, &expected, &old, MPI_LONG, 0, 2, win));
  DO(MPI_Win_flush(0, win));
  CHECK(old == 7 || old >= 1000); /* one rank has changed it */
  long changed = old == 7, changes;
  DO(MPI_Allreduce(&changed, &changes, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CHECK(changes == 1);
  const char same = (char)-5; /* more than the standard allows, and all MPIs do */
  char was = 0;
  DO(MPI_Compare_and_swap(&same, &same, &was, MPI_CHAR, rank, 3, win));
  DO(MPI_Win_flush(rank, win));
  CHECK(was == same);
  DO(MPI_Get_accumulate(NULL, 0, MPI_LONG, results, 2, MPI_LONG, next, 0, 2, MPI_LONG, MPI_NO_OP, win));
  DO(MPI_Win_flush_local(next, win));
  DO(MPI_Rget(&old, 1, MPI_LONG, next, 3, 1, MPI_LONG, win, &request));
  DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(old == -5);
  DO(MPI_Barrier(MPI_COMM_WORLD));
  DO(MPI_Rput(&wanted, 1, MPI_LONG, next, 3, 1, MPI_LONG, win, &request));
  DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
  DO(MPI_Win_flush(next, win));
  DO(MPI_Win_unlock_all(win));
  DO(MPI_Barrier(MPI_COMM_WORLD));
  DO(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  CHECK(base[0] == size && base[3] == 1000 + before && (rank != 0 || base[1] == 10 * size));
  DO(MPI_Win_unlock(rank, win));
  DO(MPI_Win_free(&win));
}

static void exposures(void) {
  double memory[1] = {-1}, value = rank + 0.5;
  int others[2] = {next, before}, flag;
  MPI_Group world, target, origin;
  MPI_Win win;
  DO(MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Comm_group(MPI_COMM_WORLD, &world));
  DO(MPI_Group_incl(world, 1, &others[0], &target));
  DO(MPI_Group_incl(world, 1, &others[1], &origin));
  DO(MPI_Win_post(origin, 0, win));
  DO(MPI_Win_start(target, 0, win));
  DO(MPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win));
  DO(MPI_Win_complete(win));
  for (flag = 0; !flag;) DO(MPI_Win_test(win, &flag));
  CHECK(memory[0] == before + 0.5);
  DO(MPI_Group_free(&world));
  DO(MPI_Group_free(&target));
  DO(MPI_Group_free(&origin));
  DO(MPI_Win_free(&win));
}

static int deleted;
/* Types that are made of pairs, which have gaps: element by element. */
static void pairs(void) {
  struct pair {
    double value;
    int place;
  } mine[4], theirs[4], were[2];
  struct short_pair {
    short value;
    int place;
  } few[3] = {{1, 2}, {3, 4}, {5, 6}}, sums[3] = {{0, 0}, {0, 0}, {0, 0}};
  MPI_Datatype every_other, three;
  MPI_Win win;
  for (int i = 0; i < 4; ++i) {
    mine[i].value = 10 * i, mine[i].place = i;
    theirs[i].value = 5, theirs[i].place = 77;
  }
  DO(MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &every_other));
  DO(MPI_Type_commit(&every_other));
  DO(MPI_Win_create(theirs, sizeof theirs, sizeof *theirs, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Win_fence(0, win));
  DO(MPI_Accumulate(mine + 1, 1, every_other, next, 0, 1, every_other, MPI_MAXLOC, win));
  DO(MPI_Win_fence(0, win));
  CHECK(theirs[0].value == 10 && theirs[0].place == 1 && theirs[2].value == 30 && theirs[2].place == 3);
  CHECK(theirs[1].value == 5 && theirs[1].place == 77 && theirs[3].value == 5 && theirs[3].place == 77);
  DO(MPI_Win_fence(0, win));
  DO(MPI_Get_accumulate(mine, 2, MPI_DOUBLE_INT, were, 2, MPI_DOUBLE_INT, next, 0, 1, every_other, MPI_MINLOC, win));
  DO(MPI_Win_fence(0, win));
  CHECK(were[0].value == 10 && were[0].place == 1 && were[1].value == 30 && were[1].place == 3);
  CHECK(theirs[0].value == 0 && theirs[0].place == 0 && theirs[2].value == 10 && theirs[2].place == 1);
  DO(MPI_Win_free(&win));
  DO(MPI_Type_free(&every_other));
  DO(MPI_Type_contiguous(3, MPI_SHORT_INT, &three));
  DO(MPI_Type_commit(&three));
  DO(MPI_Win_create(sums, sizeof sums, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Win_fence(0, win));
  DO(MPI_Accumulate(few, 1, three, next, 0, 3, MPI_SHORT_INT, MPI_REPLACE, win));
  DO(MPI_Win_fence(0, win));
  for (int i = 0; i < 3; ++i) CHECK(sums[i].value == few[i].value && sums[i].place == few[i].place);
  DO(MPI_Win_free(&win));
  DO(MPI_Type_free(&three));
}

static int delete(MPI_Win win, int key, void* value, void* extra) {
  (void)win, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}
static int called;
static void handle(MPI_Win* win, int* code, ...) {
  (void)win;
  MPI_Error_class(*code, &called);
}

static void other_kinds(void) {
  int value = rank, got = -1, key, unit, flag;
  int *base, *of_first;
  MPI_Aint where, of_next, bytes;
  MPI_Win win;
  MPI_Comm machine;
  MPI_Errhandler handler;
#ifdef PURE_MPI_H
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  FAILS(MPI_Win_create(&value, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
  FAILS(MPI_Win_create(&value, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
  DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
#endif
  DO(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  DO(MPI_Win_attach(win, &value, sizeof value));
  DO(MPI_Get_address(&value, &where));
  DO(MPI_Sendrecv(&where, 1, MPI_AINT, before, 0, &of_next, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  DO(MPI_Win_fence(0, win));
  DO(MPI_Get(&got, 1, MPI_INT, next, of_next, 1, MPI_INT, win));
  DO(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  CHECK(got == next);
  DO(MPI_Win_detach(win, &value));
  DO(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete, &key, NULL));
  DO(MPI_Win_set_attr(win, key, &value));
  DO(MPI_Win_get_attr(win, key, &base, &flag));
  CHECK(flag && base == &value);
  DO(MPI_Win_create_errhandler(handle, &handler));
  DO(MPI_Win_set_errhandler(win, handler));
  DO(MPI_Errhandler_free(&handler));
  FAILS(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  CHECK(called == MPI_ERR_RANK);
  DO(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
  CHECK(called == MPI_ERR_OTHER);
#ifdef PURE_MPI_H
  DO(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  CHECK(called == MPI_ERR_RMA_SYNC); /* an error of the window that is to be freed */
  DO(MPI_Win_unlock(rank, win));
#endif
  DO(MPI_Win_free(&win));
  CHECK(deleted == 1);
  DO(MPI_Win_free_keyval(&key));

  DO(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
  DO(MPI_Comm_rank(machine, &value));
  DO(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, machine, &base, &win));
  DO(MPI_Win_shared_query(win, 0, &bytes, &unit, &of_first));
  CHECK(bytes >= (MPI_Aint)sizeof(int) && unit == sizeof(int));
  DO(MPI_Win_fence(0, win));
  *base = 40 + value;
  DO(MPI_Win_fence(0, win));
  CHECK(of_first[value] == 40 + value && *of_first == 40);
  DO(MPI_Win_fence(0, win));
  DO(MPI_Win_free(&win));
  DO(MPI_Comm_free(&machine));
  DO(MPI_Alloc_mem(100, MPI_INFO_NULL, &base));
  base[24] = 1;
  DO(MPI_Free_mem(base));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  fences();
#ifdef PURE_MPI_H
  nobody();
#endif
  locks();
  exposures();
  pairs();
  other_kinds();
  return end();
}
