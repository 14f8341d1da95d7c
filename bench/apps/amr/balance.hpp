// Load balance by recursive coordinate bisection (Berger and Bokhari 1987): the blocks' centres are cut in two along
// the longest edge of the box around them, in proportion to the ranks of both halves, and each half again, by its
// ranks.
#pragma once

#include "mesh.hpp"

namespace amr {

// Shares the blocks out anew: no rank has more than one above another (of a half that cannot be cut evenly, two).
// Collective.
void balance(mesh& m);

}  // namespace amr
