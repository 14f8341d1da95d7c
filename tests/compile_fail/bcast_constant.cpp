// Must not compile, and say: cannot receive into constant elements.
#include <pure/pure.hpp>

#include <vector>

void f(pure::comm world, const std::vector<int>& values) { world.bcast(values); }
