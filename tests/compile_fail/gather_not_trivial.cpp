// Must not compile, and say: this type is not trivially copyable, so its bytes are not its value.
#include <pure/pure.hpp>

#include <string>
#include <vector>

void f(pure::comm world, const std::vector<std::string>& names) { (void)world.gather(names); }
