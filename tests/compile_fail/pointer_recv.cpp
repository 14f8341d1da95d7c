// Must not compile, and say: an address means nothing to another rank's memory. Send the elements: std::span(pointer,
// count).
#include <pure/pure.hpp>

auto f(pure::comm world) { return world.recv<double*>(1); }
