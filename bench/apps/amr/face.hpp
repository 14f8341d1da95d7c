// What a block gets from one other block across a face: its halo, or a quarter of it where the other one is finer.
//
// The faces of x come first, then those of y, then those of z. With 27 points each takes the halo of the axes before it
// along, so that edges and corners need no messages of their own. No face reads what another face of its axis writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.hpp"

namespace amr {

struct face {
  // `to_finer`: the block that gets it is finer than the one that gives it. `wall`: the cube ends here.
  enum class kind { same, to_finer, to_coarser, wall };
  std::uint64_t from = 0, to = 0;      // keys of the blocks
  int from_place = -1, to_place = -1;  // of the blocks that this rank has
  int other_rank = -1;                 // who has the other one
  kind how = kind::same;
  int axis = 0;
  int side = 0;             // of the block that gets it: 0 low, 1 high
  int quarter[2] = {0, 0};  // of the coarser one's face, along the other two axes, low or high
  std::size_t offset = 0;   // in the buffer, of one variable
};

// Doubles of a face in a buffer, of one variable.
std::size_t size_of(const face& f, const layout& l);
// Averages, where it goes to a coarser block.
void pack(const face& f, const block& from, const layout& l, const group& g, double* buffer);
// The cells of a finer block get copies. A coarser one's halo becomes the mean of the average it gets and its own cell
// at the face: so what the finer cells (an eighth of its volume each, four at a face) lose is what it wins, with the 7
// points exactly. A wall mirrors the block's own cells.
void unpack(const face& f, block& to, const layout& l, const group& g, const double* buffer);

}  // namespace amr
