// The objects that the mesh follows: ellipsoids and boxes that move through the unit cube, grow, and bounce from its
// walls. They have no effect on the cells but that the blocks they touch are refined (and cost more, with
// --work-in-objects). Every rank moves its own copies, with the same arithmetic.
#pragma once

#include "block_id.hpp"

namespace amr {

struct object {
  enum class form { ellipsoid, cuboid };
  form kind = form::ellipsoid;
  bool solid = false;  // its inside counts, too; otherwise its surface
  vec3 centre{0.5, 0.5, 0.5};
  vec3 radius{0.25, 0.25, 0.25};
  vec3 velocity{0, 0, 0};  // per step
  double growth = 0;       // of every radius, per step; reversed at 0.02 and 0.5
};

struct box {
  vec3 low, high;
};

// Whether the object's surface, or its inside if it is solid, has a point in common with the box.
bool touches(const object& o, const box& b);

// One step.
void move(object& o);

}  // namespace amr
