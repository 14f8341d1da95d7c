// Must not compile, and say: std::vector<bool> keeps its elements as bits, not as an array. Use std::vector<char>.
#include <pure/pure.hpp>

void f(pure::comm world) { world.send(std::vector<bool>(8), 1); }
