// Must not compile, and say: the last function of pure::parallel_reduce combines two values
#include <pure/pure.hpp>

double f(int n) {
  return pure::parallel_reduce(
      0, n, 0.0, [](int i) { return 0.5 * i; }, [](double a) { return a; });
}
