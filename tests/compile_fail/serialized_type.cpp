// Must not compile, and say: Pure: cereal cannot serialize this type. Give it a member
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

struct closed {
  int* where;
};

void f(pure::comm world, const closed& object) { world.send(pure::serialized(object), 1); }
