// Must not compile, and say: only what has a resize(), like std::vector and std::string, takes the size of the root's.
#include <pure/pure.hpp>

#include <span>

void f(pure::comm world, std::span<int> values) { world.bcast_resized(values); }
