// Must not compile, and say: a character array is ambiguous (does the final zero belong to it?). Send
// std::string_view(text).
#include <pure/pure.hpp>

void f(pure::comm world) { world.send("hello", 1); }
