// Must not compile, and say: must live until it is complete: a temporary does not. Give it a name.
#include <pure/pure.hpp>

void f(pure::comm world) { world.issend(7, 1).wait(); }
