#include "qmc_spline.hpp"

#include <algorithm>
#include <cmath>

namespace windows {

orbitals::orbitals(int grid, int count) : grid_(grid), count_(count) {
  // Gaussians around points that are spread evenly (multiples of irrational numbers), of various widths.
  constexpr double spread[] = {0.8191725134, 0.6710436067, 0.5497004779};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int at = 0; at < grid; ++at) {
      for (int o = 0; o < count; ++o) {
        const double centre = std::fmod((o + 1) * spread[axis], 1.0);
        const double width = 0.1 + 0.05 * (o % 5);
        const double distance = (static_cast<double>(at) / (grid - 1) - centre) / width;
        factors_[axis].push_back(static_cast<float>(std::exp(-distance * distance)));
      }
    }
  }
}

void orbitals::make(int x, int y, int z, float* into) const {
  const float *const along_x = factors(0, x), *const along_y = factors(1, y), *const along_z = factors(2, z);
  for (int o = 0; o < count_; ++o) into[o] = along_x[o] * along_y[o] * along_z[o];
}

void orbitals::make_planes(range planes, float* into) const {
  for (int x = planes.begin; x < planes.end; ++x) {
    for (int y = 0; y < grid_; ++y) {
      for (int z = 0; z < grid_; ++z, into += count_) make(x, y, z, into);
    }
  }
}

basis basis_at(double place, int grid) {
  const double steps = place * (grid - 3);
  const int first = std::min(static_cast<int>(steps), grid - 4);
  const auto t = static_cast<float>(steps - first);
  const float u = 1 - t;
  return {first,
          {u * u * u / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6,
           t * t * t / 6}};
}

}  // namespace windows
