// One block: a cube of cells with one layer of halo around it, for each variable; and what is done to a block alone.
// Which rank has it, and which thread computes it, changes no bit of its cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_id.hpp"

namespace amr {

// The form that all blocks have. Cells are numbered from -1 (halo) to `cells` (halo) along each axis, x running
// fastest.
struct layout {
  int cells;
  int variables;
  int points;  // of the stencil

  [[nodiscard]] std::ptrdiff_t edge() const { return cells + 2; }
  [[nodiscard]] std::ptrdiff_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? edge() : edge() * edge(); }
  [[nodiscard]] std::ptrdiff_t per_variable() const { return edge() * edge() * edge(); }
  [[nodiscard]] std::ptrdiff_t index(int x, int y, int z) const { return x + 1 + edge() * (y + 1 + edge() * (z + 1)); }
  [[nodiscard]] std::size_t doubles() const { return static_cast<std::size_t>(per_variable() * variables); }
};

struct block {
  std::uint64_t key = 0;
  bool touched = false;  // by an object, in this step
  std::vector<double> cells;
};

// Variables that are exchanged and swept together.
struct group {
  int first, count;
};

// Random numbers in [0, 1), each a function of the block, the variable and the cell.
void set_start_values(block& b, const layout& l);

// Replaces each cell of a variable by the average of the 7 or 27 cells around it, `times` times. From the second time
// on the block's walls are closed, as the cube's are: neighbours are needed once, and what the block contains stays.
void sweep(block& b, int variable, const layout& l, int times);

// The children take over their parent's values, each cell eight times; a parent takes the averages.
block split(const block& parent, int octant, const layout& l);
void merge(block& parent, const block& child, const layout& l);

// What a variable of a block adds to the check sums. Sums are in units of 1/scale of a root block's volume: integers,
// so that their order does not matter.
struct block_sums {
  std::int64_t mean = 0;
  std::int64_t mean_square = 0;
  std::uint64_t bits = 0;  // changes with any bit of any cell
};
block_sums sums_of(const block& b, int variable, const layout& l, double scale);

}  // namespace amr
