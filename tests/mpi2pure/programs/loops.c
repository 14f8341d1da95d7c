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

/* Pragmas that macros make. */
#define PRAGMA(text) _Pragma(#text)
#define ACROSS(each, count) PRAGMA(omp parallel for private(each) if ((count) > 1 && limits[0] < limits[1]) schedule(static, limits[0] + 1))
#define ACROSS_SUM(each, sum) PRAGMA(omp parallel for private(each) reduction(+ : sum))

static double by_macros(const int* limits, int count, double* x) {
  int i, k;
  double sum = 0;
  ACROSS(k, count)
  for (i = 0; i < count; i++) {
    for (k = 0; k < limits[1]; k++) x[i] += k;
  }
  ACROSS_SUM(k, sum)
  for (i = 0; i < count; i++) {
    for (k = 0; k < 2; k++) sum += x[i];
  }
  return sum + x[count - 1];
}

int main(int argc, char** argv) {
  int rank;
  double grid[150][6], to[40] = {0}, from[40], one_each[300] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    run_both(grid, to, from);
    double* a = calloc(600, sizeof *a);
    printf("%g %g\n", to[39], lengths(20, 15, (double(*)[15])a, (double(*)[15])(a + 300)));
    printf("%g\n", by_macros((const int[]){1, 5}, 300, one_each));
    free(a);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
