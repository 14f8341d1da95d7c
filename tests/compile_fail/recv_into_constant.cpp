// Must not compile, and say: cannot receive into a constant.
#include <pure/pure.hpp>

void f(pure::comm world, const int& value) { world.recv_into(value, 1); }
