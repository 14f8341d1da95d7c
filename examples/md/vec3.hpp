// Three numbers, one per axis: a point, a box, a rank grid.
#pragma once

#include <array>

namespace md {

using vec3 = std::array<double, 3>;
using int3 = std::array<int, 3>;

}  // namespace md
