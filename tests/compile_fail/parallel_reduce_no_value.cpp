// Must not compile, and say: what the body of pure::parallel_reduce returns must convert to the type of `initial`
#include <pure/pure.hpp>

#include <functional>

double f(int n) {
  return pure::parallel_reduce(
      0, n, 0.0, [](int) {}, std::plus{});
}
