/* For bench/loading: how long a step of a loop takes that reads and writes a global array, one that calls functions through
 * the program's tables, and one that counts in a thread-local variable. Every rank runs them; rank 0 tells. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 4096, rounds = 20000 };

double values[elements];
_Thread_local volatile long counter;

static double half(double x) { return 0.5 * x; }
static double twice(double x) { return 2 * x; }
static double (*volatile const table[])(double) = {half, twice};

static void tell(const char* name, double begin, double steps, int rank) {
  if (rank == 0) printf("%s %.4f ns\n", name, 1e9 * (MPI_Wtime() - begin) / steps);
}

int main(int argc, char** argv) {
  int rank;
  double begin, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < elements; ++i) values[i] = rank + i;

  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int round = 0; round < rounds; ++round)
    for (int i = 1; i < elements; ++i) values[i] = 0.25 * values[i] + 0.75 * values[i - 1];
  tell("global_array", begin, (double)rounds * elements, rank);

  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int i = 0; i < 20000000; ++i) sum = table[i & 1](sum + 1);
  tell("function_table", begin, 20000000, rank);

  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int i = 0; i < 50000000; ++i) ++counter;
  tell("thread_local", begin, 50000000, rank);

  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (int i = 0; i < 5000000; ++i) {
    void* volatile piece = malloc(64);
    free(piece);
  }
  tell("malloc", begin, 5000000, rank);

  if (sum < 0 || counter != 50000000) return 1;
  MPI_Finalize();
  return 0;
}
