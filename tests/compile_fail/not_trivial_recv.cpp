// Must not compile, and say: this type is not trivially copyable, so its bytes are not its value.
#include <pure/pure.hpp>

#include <memory>

auto f(pure::comm world) { return world.recv<std::unique_ptr<int>>(1); }
