/* lines COUNT: each rank prints so many lines of different lengths, piece by piece, and flushes nothing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < count; ++i) {
    const int stars = (i * 37 + rank * 11) % 200;
    printf("rank %d line %d ", rank, i);
    for (int star = 0; star < stars; ++star) putchar('*');
    printf(" of %d\n", stars);
  }
  MPI_Finalize();
  return 0;
}
