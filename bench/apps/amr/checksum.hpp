// Check sums over the whole mesh: integers, so that they have the same bits for any number of ranks, any balance and
// any order. Collective.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh.hpp"

namespace amr {

struct checksum {
  std::uint64_t bits = 0;           // changes with any bit of any cell
  std::vector<double> mean;         // over the cube, of each variable
  std::vector<double> mean_square;  // what a stencil makes smaller

  // The greatest change of a variable's mean, which no stencil, refinement or coarsening should change.
  [[nodiscard]] double drift_since(const checksum& start) const;
};

checksum take_checksum(const mesh& m);

}  // namespace amr
