// Must not compile, and say: std::vector<bool> keeps its elements as bits, not as an array. Use std::vector<char>.
#include <pure/pure.hpp>

auto f(pure::comm world) { return world.recv<std::vector<bool>>(1); }
