// Must not compile, and say: this type is not trivially copyable, so its bytes are not its value.
#include <pure/pure.hpp>

#include <list>

void f(pure::comm world, const std::list<int>& values) { world.send(values, 1); }
