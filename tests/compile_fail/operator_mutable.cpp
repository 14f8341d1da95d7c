// Must not compile, and say: It is called as a constant: no `mutable` lambdas.
#include <pure/pure.hpp>

int f(pure::comm world) {
  int calls = 0;
  return world.all_reduce(1, [calls](int a, int b) mutable { return a + b + ++calls; });
}
