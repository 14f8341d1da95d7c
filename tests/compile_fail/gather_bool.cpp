// Must not compile, and say: the result would be a std::vector<bool>, which keeps its elements as bits. Use char
#include <pure/pure.hpp>

void f(pure::comm world) { (void)world.all_gather(world.rank() > 0); }
