// Must not compile, and say: Pure: cannot receive into a constant, or into a temporary object.
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

void f(pure::comm world, const int& object) { world.recv_into(pure::serialized(object), 1); }
