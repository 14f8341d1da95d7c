/* OpenMP in ranks, each of which has an OpenMP library of its own. */
#include <omp.h>
#include <stddef.h>

#include "cases.h"

enum { THREADS = 3 };
static int of_threads[THREADS], of_thread = 95;
#pragma omp threadprivate(of_thread)
SET(threadprivate) {
  int first[THREADS] = {0, 0, 0};
#pragma omp parallel num_threads(THREADS)
  {
    first[omp_get_thread_num()] = of_thread;
    of_thread = WORTH(me) + omp_get_thread_num();
  }
  EXPECT(first[0] == 95 && first[1] == 95 && first[2] == 95);
  return NONE;
}
GET(threadprivate) {
#pragma omp parallel num_threads(THREADS)
  of_threads[omp_get_thread_num()] = of_thread;
  EXPECT(of_threads[0] == WORTH(me) && of_threads[1] == WORTH(me) + 1 && of_threads[2] == WORTH(me) + 2);
  return NONE;
}
static int copied;
#pragma omp threadprivate(copied)
SET(copyin) {
  copied = me;
#pragma omp parallel num_threads(THREADS) copyin(copied)
  of_threads[omp_get_thread_num()] = copied;
  EXPECT(of_threads[1] == me && of_threads[2] == me);
  return NONE;
}
GET(copyin) {
  EXPECT(of_threads[2] == me);
  return NONE;
}
static int ranks_of_threads[THREADS];
SET(rank) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp critical(a_call)
    ranks_of_threads[omp_get_thread_num()] = rank_here();
  }
  return NONE + 0 * me;
}
GET(rank) {
  int i;
  for (i = 0; i < THREADS; ++i) EXPECT(ranks_of_threads[i] == me);
  return NONE;
}
static long sum, critical_sum, atomic_sum;
SET(sums) {
  int i;
  sum = critical_sum = atomic_sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum) schedule(dynamic)
  for (i = 0; i < 100; ++i) {
    sum += i + me;
#pragma omp atomic
    atomic_sum += i + me;
#pragma omp critical
    critical_sum += i + me;
  }
  return NONE;
}
GET(sums) {
  EXPECT(sum == 4950 + 100 * me && atomic_sum == sum && critical_sum == sum);
  return NONE;
}
static int nested_threads;
SET(nested) {
  omp_set_max_active_levels(2);
  nested_threads = me;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++nested_threads;
  return NONE;
}
GET(nested) {
  EXPECT(nested_threads == me + 4 && omp_get_max_active_levels() == 2);
  return NONE;
}
SET(number_of_threads) {
  omp_set_num_threads(1 + me % 3);
  return NONE;
}
GET(number_of_threads) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  EXPECT(threads == 1 + me % 3 && omp_get_max_threads() == threads);
  return NONE;
}
static int done[20];
SET(tasks) {
  int i;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i)
    done[i] = me + i;
  }
  return NONE;
}
GET(tasks) {
  int i;
  for (i = 0; i < 20; ++i) EXPECT(done[i] == me + i);
  return NONE;
}
static omp_lock_t lock;
static int locked;
SET(locks) {
  omp_init_lock(&lock);
  locked = me;
#pragma omp parallel num_threads(THREADS)
  {
    omp_set_lock(&lock);
    ++locked;
    omp_unset_lock(&lock);
  }
  return NONE;
}
GET(locks) {
  EXPECT(locked == me + THREADS);
  omp_destroy_lock(&lock);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(threadprivate, THREAD), CASE(copyin, PRIVATE),           CASE(rank, PRIVATE),  CASE(sums, PRIVATE),
    CASE(nested, PRIVATE),       CASE(number_of_threads, COMMON), CASE(tasks, PRIVATE), CASE(locks, PRIVATE),
};

/* Besides the cases: the first thread of a team calls MPI, as all ranks do. */
static int team_calls(void) {
  int rank = -1, size = -1, total = -1, is_right = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp atomic
    is_right += total == size * (size - 1) / 2;
  }
  return is_right == 2;
}

int main(int argc, char** argv) {
  int level;
  if (argc > 1 && strcmp(argv[1], "team") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    printf("rank %d: %s\n", rank_here(), team_calls() ? "right" : "wrong");
    return MPI_Finalize();
  }
  return RUN_CASES_WITH(argc, argv, cases, SERIALIZED);
}
