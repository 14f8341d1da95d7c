// The coefficients of a natural cubic spline: a tridiagonal system.
#include "spline.hpp"

namespace md {

// With m[k] the second derivative at k (in steps), continuity of the first derivative asks for
// m[k-1] + 4 m[k] + m[k+1] = 6 (v[k-1] - 2 v[k] + v[k+1]), and m is 0 at both ends: elimination, then back.
std::vector<cubic> natural_spline(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<double> m(n, 0.0);
  std::vector<double> ratio(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double right = 6 * (values[k - 1] - 2 * values[k] + values[k + 1]);
    const double pivot = 4 - ratio[k - 1];
    ratio[k] = 1 / pivot;
    m[k] = (right - m[k - 1]) / pivot;
  }
  for (std::size_t k = n - 2; k > 0; --k) m[k] -= ratio[k] * m[k + 1];

  std::vector<cubic> pieces(n - 1);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    pieces[k] = {.a = values[k],
                 .b = values[k + 1] - values[k] - (2 * m[k] + m[k + 1]) / 6,
                 .c = m[k] / 2,
                 .d = (m[k + 1] - m[k]) / 6};
  }
  return pieces;
}

}  // namespace md
