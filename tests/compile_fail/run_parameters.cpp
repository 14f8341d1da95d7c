// Must not compile, and say: the function of pure::run takes a pure::comm, or nothing.
#include <pure/pure.hpp>

int f() {
  return pure::run(2, [](int) {});
}
