// Must not compile, and say: a reproducible sum is one of float or double.
#include <pure/pure.hpp>

void f(pure::comm world) { (void)world.reproducible_sum(1); }
