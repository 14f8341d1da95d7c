/* For bench/loading: a program that does nothing but begin and end, with a global variable; rank 0 says how much memory
 * the process takes while all ranks are there. As C and as C++. */
#include <mpi.h>
#include <stdio.h>
#ifdef __cplusplus
#include <iostream>
#endif

int number; /* which bench/loading has shared by all ranks, too */

static long memory_kb(void) {
  char line[256];
  long value = 0;
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL)
    if (sscanf(line, "Pss: %ld", &value) == 1) break;
  if (file != NULL) fclose(file);
  return value;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  number = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
#ifdef __cplusplus
    std::cout << "memory_kb " << memory_kb() << std::endl;
#else
    printf("memory_kb %ld\n", memory_kb());
#endif
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
