// The atoms that a rank knows, one array per quantity and axis: first those it owns, then ghosts, which are copies of
// other ranks' atoms (or periodic images of its own) within the cutoff of its sub-box.
//
// Owned atoms are stored cell by cell (cells.hpp) and keep their order within a cell, so that every sum over atoms is
// taken in an order which depends only on the input and on the rank grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace md {

struct atoms {
  using per_axis = std::array<std::vector<double>, 3>;

  std::size_t owned = 0;         // owned atoms are [0, owned), ghosts [owned, total())
  per_axis position;             // of all, in angstrom
  per_axis velocity;             // of the owned, in angstrom / fs
  per_axis force;                // of the owned
  std::vector<std::int64_t> id;  // of the owned: the number of the lattice site, the same for any number of ranks

  [[nodiscard]] std::size_t total() const { return position[0].size(); }
};

}  // namespace md
