// Must not compile, and say: decides about the type of the result, is an integer. Write 0.0.
#include <pure/pure.hpp>

#include <functional>
#include <vector>

double f(const std::vector<double>& values) {
  return pure::parallel_reduce(
      values, 0, [](double x) { return x * x; }, std::plus{});
}
