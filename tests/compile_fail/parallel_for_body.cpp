// Must not compile, and say: the body of pure::parallel_for over integers takes one index
#include <pure/pure.hpp>

void f() {
  pure::parallel_for(0, 10, [](const char*) {});
}
