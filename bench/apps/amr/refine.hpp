// Refining and coarsening: blocks that an object touches become finer, by one level at a time, others coarser.
#pragma once

#include <string>
#include <vector>

#include "mesh.hpp"

namespace amr {

constexpr std::size_t most_blocks = std::size_t{1} << 22;  // every rank has the directory of all

enum class refinement { none, done, too_large };

// One level of refinement towards the objects where they are now; blocks note whether an object touches them. Blocks
// whose faces meet (with 27 points: also edges or corners) differ by one level at most afterwards. Children stay with
// their parent's rank, a parent comes to that of its first child. too_large: nothing has changed. Collective.
refinement refine_once(mesh& m, const std::vector<object>& objects);

}  // namespace amr
