// other_jobs FILE: each rank says to which cpus its own thread is bound, and the ranks stay until the file is there.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2) return 2;
  cpu_set_t* const set = CPU_ALLOC(4096);
  const size_t bytes = CPU_ALLOC_SIZE(4096);
  if (sched_getaffinity(0, bytes, set) != 0) return 3;
  char text[1024];
  size_t at = (size_t)snprintf(text, sizeof text, "rank %d:", rank);
  for (size_t cpu = 0; cpu < 4096 && at < sizeof text; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set)) at += (size_t)snprintf(text + at, sizeof text - at, " %zu", cpu);
  }
  puts(text);
  fflush(stdout);
  while (access(argv[1], F_OK) != 0) usleep(10000);
  MPI_Finalize();
  return 0;
}
