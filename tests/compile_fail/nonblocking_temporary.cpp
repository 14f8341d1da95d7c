// Must not compile, and say: must live until it is complete: a temporary does not. Give it a name.
#include <pure/pure.hpp>

#include <vector>

void f(pure::comm world, std::vector<int>& all) { world.iall_gather_into(std::vector<int>{1, 2}, all).wait(); }
