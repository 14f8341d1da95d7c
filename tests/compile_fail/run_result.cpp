// Must not compile, and say: the function of pure::run returns int, or nothing.
#include <pure/pure.hpp>

int f() {
  return pure::run(2, [](pure::comm) { return "done"; });
}
