/* Loops of C, with those of the headers. */
#include <mpi.h>
#include <stdlib.h>
#include "loops.h"
#include "headers.h"
#include "everything.h"
#include "both.h"

/* Arrays whose length is known when the program runs. */
static double lengths(int rows, int columns, double a[rows][columns], double (*b)[columns]) {
  double own[rows][2 * columns], sum = 0;
  /* A loop. */
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      own[i][j] = a[i][j] = i + j;
      own[i][columns + j] = b[i][j] = i * j;
    }
  }
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) sum += own[i][j] * 2 + own[i][columns + j] + a[i][j] + b[i][j];
  }
  return sum;
}

int main(int argc, char** argv) {
  int rank;
  double grid[150][6], to[40] = {0}, from[40];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    run_both(grid, to, from);
    double* a = calloc(600, sizeof *a);
    printf("%g %g\n", to[39], lengths(20, 15, (double(*)[15])a, (double(*)[15])(a + 300)));
    free(a);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
