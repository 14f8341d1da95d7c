/* MPI_THREAD_SERIALIZED: threads of each rank call in turn, each step by another one. What one begins, others go on with
 * and complete. Nothing is global: it runs with ranks as threads, too. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(is)                                                      \
  do {                                                                 \
    if (!(is)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #is); \
      _exit(3);                                                        \
    }                                                                  \
  } while (0)
#define DO(call) CHECK((call) == MPI_SUCCESS)

enum { THREADS = 3, ROUNDS = 39, VALUES = 20000 };

/* Of one rank. */
struct shared {
  pthread_mutex_t lock;
  pthread_cond_t next;
  int step, is_over;
  int rank, size;
  /* what a step leaves for later ones */
  MPI_Request send, receive, persistent, all;
  MPI_Comm copy;
  MPI_Win window;
  MPI_Op op;
  MPI_Datatype type;
  int sent, received, sum, own_sum, cell[2];
  int* many;
};

static void add(void* in, void* inout, int* n, MPI_Datatype* type) {
  int i;
  CHECK(*type == MPI_INT);
  for (i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int steps(struct shared* s, int step) {
  const int right = (s->rank + 1) % s->size, left = (s->rank + s->size - 1) % s->size, kind = step % 13;
  int value = -1, flag = 0, i;
  MPI_Status status;
  switch (kind) {
    case 0: /* started here, completed two steps later */
      s->sent = s->rank + step;
      DO(MPI_Irecv(&s->received, 1, MPI_INT, left, kind, MPI_COMM_WORLD, &s->receive));
      DO(MPI_Isend(&s->sent, 1, MPI_INT, right, kind, MPI_COMM_WORLD, &s->send));
      DO(MPI_Iallreduce(&s->sent, &s->own_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &s->all));
      break;
    case 1:
      DO(MPI_Comm_dup(MPI_COMM_WORLD, &s->copy));
      DO(MPI_Comm_set_errhandler(s->copy, MPI_ERRORS_RETURN));
      break;
    case 2:
      DO(MPI_Wait(&s->receive, &status));
      CHECK(status.MPI_SOURCE == left && s->received == left + step - 2);
      DO(MPI_Wait(&s->all, MPI_STATUS_IGNORE));
      CHECK(s->own_sum == s->size * (step - 2) + s->size * (s->size - 1) / 2);
      break;
    case 3: /* a long wait: who waits sleeps */
      if (step < 13 && s->rank != 0) usleep(150000);
      DO(MPI_Barrier(s->copy));
      break;
    case 4:
      for (i = 0; !i;) DO(MPI_Test(&s->send, &i, MPI_STATUS_IGNORE));
      DO(MPI_Send_init(&s->sent, 1, MPI_INT, right, kind, s->copy, &s->persistent));
      DO(MPI_Start(&s->persistent));
      break;
    case 5:
      DO(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, s->copy, &status));
      CHECK(value == left + step - 5);
      DO(MPI_Wait(&s->persistent, MPI_STATUS_IGNORE));
      break;
    case 6: /* larger than what is sent at once */
      for (i = 0; i < VALUES; ++i) s->many[i] = s->rank + i;
      DO(MPI_Isend(s->many, VALUES, MPI_INT, right, kind, s->copy, &s->send));
      DO(MPI_Request_free(&s->persistent));
      break;
    case 7: {
      int* const got = malloc(VALUES * sizeof *got);
      DO(MPI_Recv(got, VALUES, MPI_INT, left, 6, s->copy, MPI_STATUS_IGNORE));
      for (i = 0; i < VALUES; ++i) CHECK(got[i] == left + i);
      free(got);
      DO(MPI_Wait(&s->send, MPI_STATUS_IGNORE));
      DO(MPI_Op_create(add, 1, &s->op));
      break;
    }
    case 8:
      DO(MPI_Allreduce(&step, &s->sum, 1, MPI_INT, s->op, s->copy));
      CHECK(s->sum == step * s->size);
      DO(MPI_Win_create(s->cell, sizeof s->cell, sizeof(int), MPI_INFO_NULL, s->copy, &s->window));
      DO(MPI_Win_fence(0, s->window));
      break;
    case 9:
      DO(MPI_Put(&step, 1, MPI_INT, right, 1, 1, MPI_INT, s->window));
      break;
    case 10:
      DO(MPI_Win_fence(0, s->window));
      CHECK(s->cell[1] == step - 1);
      DO(MPI_Type_contiguous(3, MPI_INT, &s->type));
      DO(MPI_Type_commit(&s->type));
      break;
    case 11: {
      int three[3] = {step, step + 1, step + 2};
      if (s->rank != 0) memset(three, 0, sizeof three);
      DO(MPI_Bcast(three, 1, s->type, 0, s->copy));
      CHECK(three[2] == step + 2);
      CHECK(MPI_Send(&value, 1, MPI_INT, s->size, 0, s->copy) != MPI_SUCCESS); /* returned, to this thread */
      break;
    }
    default:
      DO(MPI_Win_free(&s->window));
      DO(MPI_Type_free(&s->type));
      DO(MPI_Op_free(&s->op));
      DO(MPI_Comm_free(&s->copy));
      DO(MPI_Is_thread_main(&flag));
      return flag;
  }
  return 0;
}

struct caller {
  struct shared* of;
  int number;
};

static void* run(void* argument) {
  const struct caller me = *(struct caller*)argument;
  struct shared* const s = me.of;
  int i, flag, level;
  DO(MPI_Query_thread(&level)); /* beside calls of others */
  CHECK(level == MPI_THREAD_SERIALIZED);
  for (i = 0; i < ROUNDS; ++i) {
    pthread_mutex_lock(&s->lock);
    while (s->step % THREADS != me.number) pthread_cond_wait(&s->next, &s->lock);
    CHECK(!steps(s, s->step));
    ++s->step;
    pthread_cond_broadcast(&s->next);
    pthread_mutex_unlock(&s->lock);
  }
  if (me.number != 0) return NULL;
  /* One outlives MPI. */
  pthread_mutex_lock(&s->lock);
  while (s->step != THREADS * ROUNDS) pthread_cond_wait(&s->next, &s->lock);
  CHECK(MPI_Finalize() != MPI_SUCCESS); /* not by this thread */
  s->is_over = 1;
  pthread_cond_broadcast(&s->next);
  while (s->is_over != 2) pthread_cond_wait(&s->next, &s->lock);
  DO(MPI_Initialized(&flag));
  CHECK(flag);
  DO(MPI_Finalized(&flag));
  CHECK(flag);
  pthread_mutex_unlock(&s->lock);
  pthread_exit(NULL);
}

/* Threads of a thread. */
static void* make_others(void* argument) {
  struct shared* const s = argument;
  pthread_t made[THREADS];
  struct caller callers[THREADS];
  int i;
  for (i = 0; i < THREADS; ++i) {
    callers[i].of = s;
    callers[i].number = i;
    CHECK(pthread_create(&made[i], NULL, run, &callers[i]) == 0);
  }
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(made[i], NULL) == 0);
  return NULL;
}

int main(int argc, char** argv) {
  struct shared s;
  pthread_t maker;
  int provided, flag;
  memset(&s, 0, sizeof s);
  pthread_mutex_init(&s.lock, NULL);
  pthread_cond_init(&s.next, NULL);
  s.many = malloc(VALUES * sizeof *s.many);
  DO(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  CHECK(provided == MPI_THREAD_SERIALIZED);
  DO(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  DO(MPI_Comm_rank(MPI_COMM_WORLD, &s.rank));
  DO(MPI_Comm_size(MPI_COMM_WORLD, &s.size));
  DO(MPI_Is_thread_main(&flag));
  CHECK(flag);
  /* What a program may say before MPI_Init, each rank says for itself. */
  DO(MPI_Add_error_class(&flag));
  CHECK(flag == MPI_ERR_LASTCODE + 1);
  DO(MPI_Abi_set_fortran_info(MPI_INFO_NULL));
  CHECK(pthread_create(&maker, NULL, make_others, &s) == 0);
  pthread_mutex_lock(&s.lock);
  while (s.is_over != 1) pthread_cond_wait(&s.next, &s.lock);
  DO(MPI_Finalize());
  s.is_over = 2;
  pthread_cond_broadcast(&s.next);
  pthread_mutex_unlock(&s.lock);
  CHECK(pthread_join(maker, NULL) == 0);
  printf("rank %d of %d: right\n", s.rank, s.size);
  free(s.many);
  return 0;
}
