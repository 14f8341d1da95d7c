// Must not compile, and say: an address means nothing to another rank's memory. Send the elements: std::span(pointer,
// count).
#include <pure/pure.hpp>

void f(pure::comm world, double* values) { world.isend(values, 1).wait(); }
