// The loops over a rank's blocks and faces: all that takes time but for waiting. loops.hpp says who shares them.
#pragma once

#include <vector>

#include "block.hpp"
#include "face.hpp"

namespace amr {

// One stage of some variables; a block that an object touches is swept `times_if_touched` times.
void sweep_blocks(std::vector<block>& blocks, const layout& l, const group& g, int times_if_touched);

// To and from the buffer of a group, in which a face's offset is that many times as large.
void pack_faces(const std::vector<face>& faces, const std::vector<block>& blocks, const layout& l, const group& g,
                double* buffer);
void unpack_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l, const group& g,
                  const double* buffer);

// From block to block, both of this rank; walls, too.
void copy_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l, const group& g);

// sums[i * variables + v] is of variable v of block i.
void sum_blocks(const std::vector<block>& blocks, const layout& l, double scale, std::vector<block_sums>& sums);

}  // namespace amr
