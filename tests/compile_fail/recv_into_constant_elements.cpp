// Must not compile, and say: cannot receive into constant elements.
#include <pure/pure.hpp>

void f(pure::comm world, const std::vector<int>& values) { world.recv_into(values, 1); }
