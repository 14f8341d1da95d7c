// How the periodic box is shared: a grid of P x Q x R ranks, each owning one sub-box.
//
// Ranks are numbered along x first. Bounds are computed alike by everyone, so neighbours agree on them to the bit.
#pragma once

#include "vec3.hpp"

namespace md {

/// The two neighbours along an axis.
enum side { minus = 0, plus = 1 };

struct grid {
  int3 ranks;      // P, Q, R
  int3 position;   // this rank's place in the grid
  vec3 box;        // the whole periodic box, from 0
  vec3 low, high;  // this rank's sub-box: low <= x < high

  /// The rank next to this one, around the periodic box; this rank itself where the axis is not divided.
  [[nodiscard]] int neighbour(unsigned axis, side s) const;
  /// What to add to a coordinate that is sent to that neighbour: 0, or the length of the box when it goes around.
  [[nodiscard]] double shift(unsigned axis, side s) const;
  [[nodiscard]] bool divided(unsigned axis) const { return ranks[axis] > 1; }
};

/// The grid whose sub-boxes have the fewest ghosts, or `wanted` unless it is all zero. Throws failure when
/// wanted does not have `size` ranks, or when a sub-box would be thinner than the cutoff.
grid make_grid(int size, int rank, const vec3& box, double cutoff, const int3& wanted);

}  // namespace md
