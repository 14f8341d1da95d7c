// The matrix of experiment 2: 27 points, as HPCG's; in windows, so that every rank can sweep any row.
//
// Rows are numbered along x, then y, then z. A rank makes, and has in its memory, the rows of its planes of constant z.
// Entries of a row are in the order of their columns, and all sums are taken in that order, whoever takes them.
#pragma once

#include <cstddef>

#include "share.hpp"
#include "team.hpp"

namespace windows {

struct mesh {
  int nx = 1, ny = 1, nz = 1;

  [[nodiscard]] int plane() const { return nx * ny; }
  [[nodiscard]] int rows() const { return plane() * nz; }
  [[nodiscard]] int row(int y, int z) const { return (z * ny + y) * nx; }  ///< of x = 0
};

class matrix {
 public:
  static constexpr int most_entries = 27;

  /// By all ranks together; ready for all when it returns.
  matrix(team& ranks, mesh points, double diagonal);

  [[nodiscard]] const mesh& points() const { return points_; }

  /// Row `row` of the matrix times x.
  [[nodiscard]] double times(int row, const double* x) const {
    const std::size_t first = static_cast<std::size_t>(row) * most_entries;
    double sum = 0;
    for (int i = 0; i < entries_[row]; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      sum += values_[at] * x[columns_[at]];
    }
    return sum;
  }

  /// Gauss-Seidel: solves row `row` for z[row].
  void relax(int row, const double* r, double* z) const {
    const std::size_t first = static_cast<std::size_t>(row) * most_entries;
    double rest = r[row];
    for (int i = 0; i < entries_[row]; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      rest -= values_[at] * z[columns_[at]];
    }
    z[row] = (rest + diagonal_ * z[row]) / diagonal_;
  }
  /// The same for the part of the matrix with the columns in `rows`.
  void relax_within(range rows, int row, const double* r, double* z) const {
    const std::size_t first = static_cast<std::size_t>(row) * most_entries;
    double rest = r[row];
    for (int i = 0; i < entries_[row]; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      const int column = columns_[at];
      if (column >= rows.begin && column < rows.end) rest -= values_[at] * z[column];
    }
    z[row] = (rest + diagonal_ * z[row]) / diagonal_;
  }

  /// How many steps from row 0 on a row's solution is away, at least, if it waits for those of lower columns.
  [[nodiscard]] int level(int row, const int* levels_below) const;

 private:
  mesh points_;
  double diagonal_;
  window<double> values_window_;
  window<int> columns_window_, entries_window_;
  const double* values_;
  const int *columns_, *entries_;
};

}  // namespace windows
