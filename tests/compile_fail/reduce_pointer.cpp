// Must not compile, and say: a pointer cannot be sent: an address means nothing to another rank's memory. Send the
// elements
#include <pure/pure.hpp>

#include <functional>

void f(pure::comm world, double* values) { (void)world.all_reduce(values, std::plus{}); }
