/* pure/tasks.h in a program of mpi.h, in C: loops, reductions and tasks that ranks which wait take over.
 *
 * tasks right              everything is done, once, with the right result, whoever did it; prints "right", and how many
 *                          parts others than their rank did ("shared N")
 * tasks call               a call of MPI in a body
 * tasks null | negative | element     arguments that are wrong
 */
#include <mpi.h>

#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pure/tasks.h>

#define COUNT 20000

static int rank, ranks, wrong;
static int global; /* 100 + rank, where each rank has its own */
static _Thread_local int of_thread;
static pthread_t owner;

static void expect(int is_right, const char* what) {
  if (is_right) return;
  if (wrong++ < 5) printf("rank %d: %s\n", rank, what);
}

static void spend(long ns) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

/* ---- loops ---- */

struct loop {
  unsigned char done[COUNT];
  long elements[COUNT];
  size_t chunk;
  const void* lines_of;
  int is_shared;
  int of_others; /* parts that another thread did */
  int other_rounding;
};

static void do_part(size_t first, size_t last, void* context) {
  struct loop* all = context;
  if (first >= last || last > COUNT) abort();
  if (all->chunk != 0 && all->lines_of == NULL && (first % all->chunk != 0 || last - first > all->chunk)) abort();
  if (all->lines_of != NULL && first != 0 && all->is_shared && (uintptr_t)&all->elements[first] % 64 != 0) abort();
  for (size_t i = first; i < last; ++i) {
    ++all->done[i];
    all->elements[i] = (long)i * 3 + global;
  }
  if (!pthread_equal(pthread_self(), owner)) __atomic_fetch_add(&all->of_others, 1, __ATOMIC_RELAXED);
  if (fegetround() != FE_UPWARD) __atomic_fetch_add(&all->other_rounding, 1, __ATOMIC_RELAXED);
  spend(2000);
}

static int loops(void) {
  static const size_t counts[] = {0, 1, 2, 63, 1000, COUNT};
  static const size_t chunks[] = {0, 1, 7, 64, 100000};
  struct loop* all = malloc(sizeof *all);
  int shared = 0;
  fesetround(FE_UPWARD);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; ++k) {
      for (int lines = 0; lines < 2; ++lines) {
        if (counts[c] == COUNT && chunks[k] == 1) continue; /* 40 ms each */
        const pure_loop_options options = {.chunk = chunks[k],
                                           .data = lines ? all->elements : NULL,
                                           .element_bytes = sizeof *all->elements};
        memset(all, 0, sizeof *all);
        all->chunk = chunks[k];
        all->lines_of = options.data;
        all->is_shared = pure_task_chunks() > 1;
        expect(pure_parallel_for(counts[c], do_part, all, &options) == 0, "the loop is an error");
        for (size_t i = 0; i < COUNT; ++i) {
          expect(all->done[i] == (i < counts[c]), "an index was not done once");
          expect(i >= counts[c] || all->elements[i] == (long)i * 3 + global, "the globals were another rank's");
        }
        expect(all->other_rounding == 0, "a part was rounded in another way");
        shared += all->of_others;
      }
    }
  }
  memset(all, 0, sizeof *all);
  expect(pure_parallel_for(COUNT, do_part, all, NULL) == 0, "a loop without options is an error");
  for (size_t i = 0; i < COUNT; ++i) expect(all->done[i] == 1, "without options an index was not done once");
  shared += all->of_others;
  fesetround(FE_TONEAREST);
  free(all);
  return shared;
}

/* ---- reductions ---- */

static void add_part(size_t first, size_t last, void* value, void* context) {
  const double* x = context;
  double* sum = value;
  for (size_t i = first; i < last; ++i) *sum += x[i];
  spend(1000);
}

static void add(void* left, const void* right, void* context) {
  (void)context;
  *(double*)left += *(const double*)right;
}

/* The text of what was done, in the order of the indices: does not commute. */
struct text {
  size_t first, last;
};

static void note_part(size_t first, size_t last, void* value, void* context) {
  struct text* note = value;
  (void)context;
  expect(note->first == note->last, "the block does not begin as the result came in");
  *note = (struct text){first, last};
}

static void join(void* left, const void* right, void* context) {
  struct text* to = left;
  const struct text* from = right;
  (void)context;
  if (to->first == to->last) *to = *from;
  else {
    expect(to->last == from->first, "blocks are combined in another order");
    to->last = from->last;
  }
}

static void reductions(void) {
  double* x = malloc(COUNT * sizeof *x);
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < COUNT; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x[i] = ((double)state / 1e15) * ((state & 1) != 0 ? 1 : -1) + 1e-7 * (double)(state & 1023);
  }
  static const size_t counts[] = {0, 1, 1024, 1025, 5000, COUNT};
  static const size_t chunks[] = {0, 1, 37, COUNT + 1};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; ++k) {
      if (chunks[k] == 1 && counts[c] > 5000) continue;
      const size_t count = counts[c];
      const size_t length = chunks[k] != 0 ? chunks[k] : count == 0 ? 1 : (count - 1) / 1024 + 1;
      double expected = 0, got = 0;
      for (size_t first = 0; first < count; first += length) {
        double block = 0;
        for (size_t i = first; i < first + length && i < count; ++i) block += x[i];
        expected += block;
      }
      const pure_loop_options options = {.chunk = chunks[k]};
      expect(pure_parallel_reduce(count, &got, sizeof got, add_part, add, x, &options) == 0, "the reduction is an error");
      expect(memcmp(&got, &expected, sizeof got) == 0, "the sum has other bits");
      struct text all = {0, 0};
      expect(pure_parallel_reduce(count, &all, sizeof all, note_part, join, NULL, &options) == 0, "an error");
      expect(all.first == 0 && all.last == count, "the blocks are not all indices");
    }
  }
  free(x);
}

/* ---- tasks ---- */

struct piece {
  size_t count, element_bytes;
  unsigned char done[COUNT];
};

static void do_chunks(unsigned first_chunk, unsigned last_chunk, void* per_execution, void* context) {
  struct piece* piece = per_execution;
  size_t first, last;
  expect(context == &global, "the context is another one");
  pure_task_items(piece->count, piece->element_bytes, first_chunk, last_chunk, &first, &last);
  if (last > piece->count) abort();
  if (first < last && piece->element_bytes != 0 && first * piece->element_bytes % 64 != 0) abort();
  for (size_t i = first; i < last; ++i) ++piece->done[i];
}

static void tasks(void) {
  static const size_t counts[] = {0, 1, 8, 63, 64, 65, 1000, COUNT};
  static const size_t bytes[] = {0, 1, 8, 64, 200};
  const pure_task task = {do_chunks, &global};
  struct piece* piece = malloc(sizeof *piece);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; ++b) {
      memset(piece, 0, sizeof *piece);
      piece->count = counts[c];
      piece->element_bytes = bytes[b] > 64 ? 64 : bytes[b];
      expect(pure_task_execute(&task, piece) == 0, "the task is an error");
      for (size_t i = 0; i < COUNT; ++i) expect(piece->done[i] == (i < counts[c]), "an item was not done once");
    }
  }
  free(piece);
  expect(pure_task_chunks() >= 1, "a task has no chunk");
}

/* ---- where nothing is shared ---- */

static void count_up(size_t first, size_t last, void* context) {
  *(size_t*)context += last - first; /* by one thread only: no atomic */
}

static void inner(size_t first, size_t last, void* context) {
  for (size_t i = first; i < last; ++i) {
    size_t own = 0;
    expect(pure_parallel_for(10, count_up, &own, NULL) == 0, "a loop in a loop is an error");
    expect(own == 10, "a loop in a loop is not done");
    __atomic_fetch_add((size_t*)context, own, __ATOMIC_RELAXED);
  }
}

static void* in_thread(void* ignored) {
  size_t done = 0;
  (void)ignored;
  of_thread = 7;
  for (int i = 0; i < 200; ++i) expect(pure_parallel_for(100, count_up, &done, NULL) == 0, "a thread's loop is an error");
  expect(done == 20000, "a thread's loop is not done");
  return NULL;
}

static void alone(const char* when) {
  size_t done = 0;
  const pure_loop_options options = {.chunk = 3};
  expect(pure_parallel_for(1000, count_up, &done, NULL) == 0 && done == 1000, when);
  expect(pure_parallel_for(1000, count_up, &done, &options) == 0 && done == 2000, when);
}

static void right(void) {
  size_t nested = 0;
  pthread_t thread;
  global = 100 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  int shared = rank == 0 ? loops() : 0; /* all others wait for it, and help */
  MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
  loops();
  reductions();
  tasks();
  pure_parallel_for(1000, inner, &nested, NULL);
  expect(nested == 10000, "loops in a loop are not done");
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) printf("right\nshared %d\n", shared);
}

/* ---- errors ---- */

static void calls_mpi(size_t first, size_t last, void* context) {
  int who;
  (void)first, (void)last, (void)context;
  MPI_Comm_rank(MPI_COMM_WORLD, &who);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "right";
  owner = pthread_self();
  if (strcmp(what, "right") == 0) alone("before MPI_Init a loop is not done");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(what, "right") == 0) right();
  if (strcmp(what, "call") == 0) pure_parallel_for(1000, calls_mpi, NULL, NULL);
  if (strcmp(what, "null") == 0) pure_parallel_for(1000, NULL, NULL, NULL);
  if (strcmp(what, "negative") == 0) pure_parallel_for((size_t)-1, count_up, NULL, NULL);
  if (strcmp(what, "element") == 0) {
    const pure_loop_options options = {.data = &global};
    pure_parallel_for(10, count_up, NULL, &options);
  }
  MPI_Finalize();
  if (strcmp(what, "right") == 0) alone("after MPI_Finalize a loop is not done");
  return wrong != 0;
}
