// The serial program: conjugate gradients over one grid, without a matrix and without windows. It adds in the same
// order as the parallel one, so that their histories have the same bits, and shares nothing else with it.
#include <cmath>
#include <cstddef>
#include <vector>

#include "cg_solver.hpp"

namespace windows {
namespace {

class serial_grid {
 public:
  serial_grid(const mesh& points, double diagonal) : points_(points), diagonal_(diagonal) {}

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(points_.rows()); }

  // The sum of the entries times x, of the 27 points around (i, j, k) that are in the planes from `low` up to `high`.
  template <class Take>
  void for_each_entry(int i, int j, int k, int low, int high, Take take) const {
    for (int dk = -1; dk <= 1; ++dk) {
      for (int dj = -1; dj <= 1; ++dj) {
        for (int di = -1; di <= 1; ++di) {
          const int x = i + di, y = j + dj, z = k + dk;
          if (x < 0 || x >= points_.nx || y < 0 || y >= points_.ny || z < low || z >= high) continue;
          const bool is_diagonal = di == 0 && dj == 0 && dk == 0;
          take(is_diagonal ? diagonal_ : -1.0, static_cast<std::size_t>(points_.row(y, z) + x));
        }
      }
    }
  }

  void multiply(const std::vector<double>& x, std::vector<double>& result) const {
    std::size_t row = 0;
    for (int k = 0; k < points_.nz; ++k) {
      for (int j = 0; j < points_.ny; ++j) {
        for (int i = 0; i < points_.nx; ++i, ++row) {
          double sum = 0;
          for_each_entry(i, j, k, 0, points_.nz, [&](double value, std::size_t at) { sum += value * x[at]; });
          result[row] = sum;
        }
      }
    }
  }

  void relax(int i, int j, int k, int low, int high, const std::vector<double>& r, std::vector<double>& z) const {
    const auto row = static_cast<std::size_t>(points_.row(j, k) + i);
    double rest = r[row];
    for_each_entry(i, j, k, low, high, [&](double value, std::size_t at) { rest -= value * z[at]; });
    z[row] = (rest + diagonal_ * z[row]) / diagonal_;
  }

  // Slab by slab of planes, as if each were the whole grid.
  void precondition(const std::vector<double>& r, std::vector<double>& z, int slabs) const {
    z.assign(rows(), 0.0);
    for (int slab = 0; slab < slabs; ++slab) {
      const int low = static_cast<int>(static_cast<long>(points_.nz) * slab / slabs);
      const int high = static_cast<int>(static_cast<long>(points_.nz) * (slab + 1) / slabs);
      for (int k = low; k < high; ++k) {
        for (int j = 0; j < points_.ny; ++j) {
          for (int i = 0; i < points_.nx; ++i) relax(i, j, k, low, high, r, z);
        }
      }
      for (int k = high - 1; k >= low; --k) {
        for (int j = points_.ny - 1; j >= 0; --j) {
          for (int i = points_.nx - 1; i >= 0; --i) relax(i, j, k, low, high, r, z);
        }
      }
    }
  }

  [[nodiscard]] double dot(const std::vector<double>& a, const std::vector<double>& b) const {
    double all = 0;
    for (std::size_t begin = 0; begin < rows(); begin += static_cast<std::size_t>(points_.plane())) {
      double of_plane = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(points_.plane()); ++i)
        of_plane += a[begin + i] * b[begin + i];
      all += of_plane;
    }
    return all;
  }

 private:
  mesh points_;
  double diagonal_;
};

}  // namespace

std::vector<double> serial_history(const mesh& points, double diagonal, int subdomains, const limits& to) {
  const serial_grid a(points, diagonal);
  std::vector<double> p(a.rows()), r(a.rows()), z(a.rows()), ap(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) p[i] = exact_solution(static_cast<int>(i));
  a.multiply(p, r);
  std::vector<double> history{std::sqrt(a.dot(r, r))};
  double rho = 0;
  for (int iteration = 0; iteration < to.most_iterations; ++iteration) {
    if (history.back() < to.tolerance * history.front()) break;
    a.precondition(r, z, subdomains);
    const double next = a.dot(r, z);
    if (iteration == 0) {
      p = z;
    } else {
      for (std::size_t i = 0; i < a.rows(); ++i) p[i] = z[i] + next / rho * p[i];
    }
    rho = next;
    a.multiply(p, ap);
    const double alpha = rho / a.dot(p, ap);
    for (std::size_t i = 0; i < a.rows(); ++i) r[i] -= alpha * ap[i];
    history.push_back(std::sqrt(a.dot(r, r)));
  }
  return history;
}

}  // namespace windows
