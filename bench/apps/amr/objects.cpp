// Objects against boxes, and their motion; objects.hpp says what they are.
#include "objects.hpp"

#include <algorithm>
#include <cmath>

namespace amr {

bool touches(const object& o, const box& b) {
  // Along each axis, in units of the radius: how far the box's nearest and farthest points are from the centre.
  vec3 near{}, far{};
  for (int axis = 0; axis < 3; ++axis) {
    const double low = (b.low[axis] - o.centre[axis]) / o.radius[axis];
    const double high = (b.high[axis] - o.centre[axis]) / o.radius[axis];
    near[axis] = std::max({low, -high, 0.0});
    far[axis] = std::max(-low, high);
  }
  if (o.kind == object::form::cuboid) {
    const bool meets = near[0] <= 1 && near[1] <= 1 && near[2] <= 1;
    return meets && (o.solid || far[0] >= 1 || far[1] >= 1 || far[2] >= 1);
  }
  const auto square = [](const vec3& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
  return square(near) <= 1 && (o.solid || square(far) >= 1);
}

void move(object& o) {
  for (int axis = 0; axis < 3; ++axis) {
    double& velocity = o.velocity[axis];
    o.centre[axis] += velocity;
    if (o.centre[axis] - o.radius[axis] < 0) velocity = std::abs(velocity);
    if (o.centre[axis] + o.radius[axis] > 1) velocity = -std::abs(velocity);
  }
  if (o.growth == 0) return;
  for (double& r : o.radius) r = std::max(r + o.growth, 0.02);
  const auto [least, most] = std::minmax_element(o.radius.begin(), o.radius.end());
  if (*most > 0.5) o.growth = -std::abs(o.growth);
  if (*least <= 0.02) o.growth = std::abs(o.growth);
}

}  // namespace amr
