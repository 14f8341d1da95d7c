// Must not compile, and say: Pure: pure::serialized(object) goes with send, isend, recv_into
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

void f(pure::comm world, int object) { world.ssend(pure::serialized(object), 1); }
