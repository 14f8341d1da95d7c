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
    int stars = (i * 37 + rank * 11) % 200;
    const int begins = printf("rank %d line %d ", rank, i);
    if (i % 100 == 99) stars = 4096 - begins - (int)sizeof " of 4096"; /* the longest that is whole: with its end 4096 bytes */
    for (int star = 0; star < stars; ++star) putchar('*');
    printf(" of %d\n", stars);
  }
  MPI_Finalize();
  return 0;
}
