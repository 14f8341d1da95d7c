// Each rank asks the kernel where its threads may run: its own thread, others that it makes in several ways, and a
// child. A line "RANK KIND CPUS" for each, with numbers parted by commas.
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

// What one rank has found out: ranks may share globals.
struct findings {
  int rank;
  char lines[8192];
  pthread_mutex_t adding;
  const char* kind;  // of what comes next
};

static char before_main[1024];

static void cpus_to(char* text, size_t room) {
  static const size_t bytes = CPU_ALLOC_SIZE(4096);
  cpu_set_t* const set = CPU_ALLOC(4096);
  size_t at = 0;
  text[0] = '\0';
  if (sched_getaffinity(0, bytes, set) != 0) abort();
  for (size_t cpu = 0; cpu < 4096; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set)) at += (size_t)snprintf(text + at, room - at, at == 0 ? "%zu" : ",%zu", cpu);
  }
  CPU_FREE(set);
}

static void add(struct findings* to, const char* kind) {
  char cpus[1024];
  cpus_to(cpus, sizeof cpus);
  pthread_mutex_lock(&to->adding);
  const size_t at = strlen(to->lines);
  snprintf(to->lines + at, sizeof to->lines - at, "%d %s %s\n", to->rank, kind, cpus);
  pthread_mutex_unlock(&to->adding);
}

static void* of_pthread(void* to) {
  add(to, ((struct findings*)to)->kind);
  return NULL;
}
static int of_thrd(void* to) {
  add(to, "thrd");
  return 0;
}
static void in_thread(void* (*run)(void*), struct findings* to) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, to) != 0) abort();
  pthread_join(thread, NULL);
}
static void* makes_another(void* to) {
  in_thread(of_pthread, to);
  return NULL;
}

static void bound_by_itself(struct findings* to, const char* cpu) {  // the program says where it runs, and its threads
  cpu_set_t set, before;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&set);
  CPU_SET(atoi(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) abort();
  to->kind = "bound";
  in_thread(of_pthread, to);
  if (sched_setaffinity(0, sizeof before, &before) != 0) abort();
}

__attribute__((constructor)) static void look_before_main(void) { cpus_to(before_main, sizeof before_main); }

// cpu_shares [fork] [CPU]
int main(int argc, char** argv) {
  struct findings own = {.rank = 0, .adding = PTHREAD_MUTEX_INITIALIZER};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  const int rank = own.rank;
  add(&own, "own");
  own.kind = "pthread";
  in_thread(of_pthread, &own);
  own.kind = "of a thread";
  in_thread(makes_another, &own);
  thrd_t thread;
  if (thrd_create(&thread, of_thrd, &own) != thrd_success) abort();
  thrd_join(thread, NULL);
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() != 0) add(&own, "openmp");
  add(&own, "own");  // again, after all these
  char most[64];
  snprintf(most, sizeof most, "%d", omp_get_max_threads());
  printf("%d threads %s\n", rank, most);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "fork") != 0) {
      bound_by_itself(&own, argv[i]);
      continue;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      char cpus[1024], line[1100];
      cpus_to(cpus, sizeof cpus);
      const int length = snprintf(line, sizeof line, "%d child %s\n", rank, cpus);
      _exit(write(1, line, (size_t)length) == length ? 0 : 1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) abort();
  }
  printf("%s%d constructor %s\n", own.lines, rank, before_main);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
