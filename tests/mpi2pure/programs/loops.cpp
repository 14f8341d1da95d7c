/* Loops of C++: of members, templates, iterators and lambdas, and those that C has, too. */
#include <mpi.h>

#include <cstdio>
#include <vector>
#include "loops.h"
#include "headers.h"
#include "everything.h"
#include "both.h"

namespace field {

template <typename T>
struct matrix {
  std::vector<T> cells;
  int rows;

  void scale(T by) {
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) cells[i] *= by;
  }
  T sum() const {
    T total = 0;
#pragma omp parallel for reduction(+ : total)
    for (typename std::vector<T>::size_type i = 0; i < cells.size(); ++i) total += cells[i];
    return total;
  }
};

double iterators(std::vector<double>& values, double& most) {
#pragma omp parallel for
  for (std::vector<double>::iterator at = values.begin(); at != values.end(); ++at) *at += 1;
#pragma omp parallel for
  for (auto at = values.begin(); at < values.end(); at++) *at *= 2;
#pragma omp parallel for reduction(max : most)
  for (auto i = values.size(); i > 0; --i) most = values[i - 1] > most ? values[i - 1] : most;
  auto twice = [&values](double by) {
#pragma omp parallel for firstprivate(by)
    for (int i = 0; i < (int)values.size(); i++) {
      by += 0;
      values[i] *= by;
    }
    return by;
  };
  return twice(3);
}

}  // namespace field

int main(int argc, char** argv) {
  int rank;
  static double grid[150][6];
  double to[40] = {0}, from[40], most = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    run_both(grid, to, from);
    field::matrix<double> m{std::vector<double>(100, 2.0), 100};
    m.scale(3);
    std::vector<double> values(from, from + 40);
    const double by = field::iterators(values, most);
    std::printf("%g %g %g %g %g\n", to[39], m.sum(), by, values[7], most);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
