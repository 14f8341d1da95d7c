/* MPI's calls with what is the rank's own: its variables as buffers, its functions that are called back, its own
   definitions of MPI's functions and those of a tool (calls_tool.c). */
#include <pthread.h>
#include <stddef.h>

#include "cases.h"

enum { MANY = 100000 };

static int ranks, left, right;
static void set_neighbours(int me) {
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
}

static int sent[MANY], received[MANY];
SET(messages) {
  int i;
  set_neighbours(me);
  for (i = 0; i < MANY; ++i) sent[i] = me + i;
  MPI_Sendrecv(sent, MANY, MPI_INT, right, 1, received, MANY, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NONE;
}
GET(messages) {
  int i;
  set_neighbours(me);
  for (i = 0; i < MANY; ++i) EXPECT(received[i] == left + i && sent[i] == me + i);
  return NONE;
}
static int sum_of_all[2];
SET(collectives) {
  sum_of_all[0] = me;
  sum_of_all[1] = 1;
  MPI_Allreduce(MPI_IN_PLACE, sum_of_all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sent[0] = me;
  MPI_Allgather(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
  return NONE;
}
GET(collectives) {
  int i;
  set_neighbours(me);
  EXPECT(sum_of_all[0] == ranks * (ranks - 1) / 2 && sum_of_all[1] == ranks);
  for (i = 0; i < ranks; ++i) EXPECT(received[i] == i);
  EXPECT(sent[0] == me);
  return NONE;
}
static double exposed[4] = {1, 2, 3, 4};
static MPI_Win window;
SET(window) {
  const double value = me + 0.5;
  set_neighbours(me);
  MPI_Win_create(exposed, sizeof exposed, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  return NONE;
}
GET(window) {
  double got = 0;
  set_neighbours(me);
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  EXPECT(exposed[2] == left + 0.5 && got == me + 0.5 && exposed[3] == 4);
  return NONE;
}
/* A type of places in memory: its addresses are the rank's. */
static int first_place = 171, other_places[3] = {172, 173, 174};
SET(addresses) {
  const int lengths[] = {1, 2};
  MPI_Aint places[2];
  MPI_Datatype type;
  set_neighbours(me);
  first_place = other_places[1] = other_places[2] = me;
  MPI_Get_address(&first_place, &places[0]);
  MPI_Get_address(&other_places[1], &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, right, 2, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  return NONE;
}
GET(addresses) {
  set_neighbours(me);
  EXPECT(first_place == left && other_places[0] == 172 && other_places[1] == left && other_places[2] == left);
  return NONE;
}

/* MPI calls the function that the rank has given, in a thread of the rank. */
static pthread_t own_thread;
static int operations, wrong_threads;
static long factor;
static void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  int i;
  (void)type;
  ++operations;
  if (!pthread_equal(pthread_self(), own_thread)) ++wrong_threads;
  for (i = 0; i < *length; ++i) ((int*)inout)[i] = (int)(((int*)in)[i] + ((int*)inout)[i] + (factor - 7));
}
static const char* combine_all(int me, int length, int is_commutative) {
  MPI_Op operation;
  int i;
  operations = wrong_threads = 0;
  own_thread = pthread_self();
  factor = 7; /* as in all ranks, or the result depends on whose it is */
  MPI_Op_create(combine, is_commutative, &operation);
  for (i = 0; i < length; ++i) sent[i] = me + i;
  MPI_Allreduce(sent, received, length, MPI_INT, operation, MPI_COMM_WORLD);
  for (i = 0; i < length; ++i) EXPECT(received[i] == ranks * (ranks - 1) / 2 + ranks * i);
  MPI_Reduce(sent, received, length, MPI_INT, operation, 0, MPI_COMM_WORLD);
  MPI_Scan(sent, received, length, MPI_INT, operation, MPI_COMM_WORLD);
  for (i = 0; i < length; ++i) EXPECT(received[i] == me * (me + 1) / 2 + (me + 1) * i);
  MPI_Reduce_local(sent, received, length, MPI_INT, operation);
  EXPECT(operations > 0 && wrong_threads == 0);
  MPI_Op_free(&operation);
  return NONE;
}
SET(operations) {
  const int lengths[] = {1, 1000, MANY};
  int i;
  set_neighbours(me);
  for (i = 0; i < 6; ++i) {
    const char* const wrong = combine_all(me, lengths[i / 2], i % 2);
    if (wrong != NONE) return wrong;
  }
  operations = me;
  return NONE;
}
GET(operations) {
  EXPECT(operations == me);
  return NONE;
}
static int key, deleted, copied;
static int copy_value(MPI_Comm from, int its_key, void* extra, void* value, void* to, int* flag) {
  (void)from, (void)its_key;
  copied += *(int*)extra;
  *(void**)to = value;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_value(MPI_Comm from, int its_key, void* value, void* extra) {
  (void)from, (void)its_key, (void)extra;
  deleted += *(int*)value;
  return MPI_SUCCESS;
}
SET(attributes) {
  MPI_Comm comm;
  deleted = copied = 0;
  factor = me + 1;
  sum_of_all[0] = me + 1;
  MPI_Comm_create_keyval(copy_value, delete_value, &key, sum_of_all);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, sum_of_all);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  return NONE;
}
GET(attributes) {
  EXPECT(copied == me + 1 && deleted == 2 * (me + 1));
  return NONE;
}
static int errors;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors;
}
SET(error_handler) {
  MPI_Errhandler handler;
  MPI_Comm comm;
  errors = me;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  EXPECT(MPI_Send(NULL, 0, MPI_INT, 5, 0, comm) != MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  return NONE;
}
GET(error_handler) {
  EXPECT(errors == me + 1);
  return NONE;
}

/* The program's own MPI_Bcast, and a tool's MPI_Gather, which calls that (PMPI). */
static int broadcasts;
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++broadcasts;
  return PMPI_Bcast(data, count, type, root, comm);
}
int gathers_of_tool(void);
SET(tool) {
  int value = me, all[2000];
  set_neighbours(me);
  EXPECT(broadcasts == 0 && gathers_of_tool() == 0);
  MPI_Bcast(&value, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  EXPECT(value == ranks - 1 && broadcasts == 1);
  MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT(gathers_of_tool() == 1 && broadcasts == 2 && (me != 0 || all[ranks - 1] == ranks - 1));
  broadcasts = me;
  return NONE;
}
GET(tool) {
  EXPECT(broadcasts == me);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(messages, COMMON),   CASE(collectives, COMMON), CASE(window, COMMON),        CASE(addresses, COMMON),
    CASE(operations, COMMON), CASE(attributes, COMMON),  CASE(error_handler, COMMON), CASE(tool, COMMON),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
