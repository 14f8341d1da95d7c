// Must not compile, and say: the body of pure::parallel_for over a pure::box takes one index for each dimension
#include <pure/pure.hpp>

void f() {
  pure::parallel_for(pure::box{10, 20}, [](std::size_t) {});
}
