// A function given at equal steps from 0, made smooth: a natural cubic spline. Its first and second derivatives are
// continuous and the derivative is exactly that of the value, which is what conserves energy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace md {

/// A cubic on one interval: a + b t + c t^2 + d t^3, with t from 0 to 1 across the interval.
struct cubic {
  double a, b, c, d;

  [[nodiscard]] double value(double t) const { return a + t * (b + t * (c + t * d)); }
  [[nodiscard]] double slope(double t) const { return b + t * (2 * c + t * 3 * d); }  // per interval
};

/// The intervals of the spline through values[k] at k * step. Needs at least 3 values.
std::vector<cubic> natural_spline(std::span<const double> values);

/// Where x lies on a grid of `intervals` intervals; outside, t leaves [0, 1] and the outermost cubic goes on.
struct grid_place {
  std::size_t interval;
  double t;
};

inline grid_place place_on_grid(double x, double per_step, std::size_t intervals) {
  const double steps = x * per_step;
  // The clamp comes first: a conversion of a huge number, or of none, would be undefined.
  const double last = static_cast<double>(intervals - 1);
  const auto interval = static_cast<std::size_t>(static_cast<int>(steps > 0 ? std::min(steps, last) : 0.0));
  return {interval, steps - static_cast<double>(interval)};
}

}  // namespace md
