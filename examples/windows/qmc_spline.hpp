// The orbitals of experiment 3: cubic B-splines in three dimensions over a grid of coefficients (as Einspline stores
// them).
//
// A coefficient is a product of three factors, one for each axis, so that any rank can make any of them, and a walk can
// do without the table: the sums of both have the same bits. The table's last dimension is that of the orbitals, so
// that a look-up reads 64 rows of it. The box is the unit cube.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "share.hpp"

namespace windows {

class orbitals {
 public:
  orbitals(int grid, int count);

  [[nodiscard]] int grid() const { return grid_; }
  [[nodiscard]] int count() const { return count_; }
  /// Coefficients of a plane of constant x, and of all.
  [[nodiscard]] std::size_t plane_size() const { return index(1, 0, 0); }
  [[nodiscard]] std::size_t size() const { return index(grid_, 0, 0); }
  [[nodiscard]] std::size_t index(int x, int y, int z) const {
    const auto grid = static_cast<std::size_t>(grid_);
    return ((static_cast<std::size_t>(x) * grid + static_cast<std::size_t>(y)) * grid + static_cast<std::size_t>(z)) *
           static_cast<std::size_t>(count_);
  }

  /// The coefficients of all orbitals at a point.
  void make(int x, int y, int z, float* into) const;
  /// The coefficients of some planes.
  void make_planes(range planes, float* into) const;

 private:
  [[nodiscard]] const float* factors(int axis, int at) const {
    return factors_[static_cast<std::size_t>(axis)].data() +
           static_cast<std::size_t>(at) * static_cast<std::size_t>(count_);
  }

  int grid_, count_;
  std::array<std::vector<float>, 3> factors_;
};

using point = std::array<double, 3>;

/// Where coefficients come from: a table...
struct from_table {
  const orbitals& of;
  const float* table;

  const float* operator()(int x, int y, int z) const { return table + of.index(x, y, z); }
};
/// ...or none.
struct from_nothing {
  const orbitals& of;
  mutable std::vector<float> row;

  const float* operator()(int x, int y, int z) const {
    of.make(x, y, z, row.data());
    return row.data();
  }
};

/// The basis functions that are not 0 at a place, 0 to 1, of an axis, and the first one's number.
struct basis {
  int first;
  float weight[4];
};
basis basis_at(double place, int grid);

/// A look-up: the sum of the squares of all orbitals. values: room for as many floats as orbitals.
template <class Source>
double density(const orbitals& of, const Source& coefficients, const point& at, float* __restrict values) {
  const basis x = basis_at(at[0], of.grid()), y = basis_at(at[1], of.grid()), z = basis_at(at[2], of.grid());
  const int count = of.count();
  for (int o = 0; o < count; ++o) values[o] = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) {
        const float weight = x.weight[i] * y.weight[j] * z.weight[k];
        const float* const row = coefficients(x.first + i, y.first + j, z.first + k);
        for (int o = 0; o < count; ++o) values[o] += weight * row[o];
      }
    }
  }
  double sum = 0;
  for (int o = 0; o < count; ++o) sum += static_cast<double>(values[o]) * static_cast<double>(values[o]);
  return sum;
}

}  // namespace windows
