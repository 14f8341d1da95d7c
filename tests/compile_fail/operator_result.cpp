// Must not compile, and say: the operator must be callable as op(a, b) with two elements, and yield an element
#include <pure/pure.hpp>

#include <functional>

struct point {
  double x, y;
};

point f(pure::comm world) { return world.all_reduce(point{1, 2}, std::plus{}); }
