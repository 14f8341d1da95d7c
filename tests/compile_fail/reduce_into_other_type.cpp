// Must not compile, and say: the elements of the input and of the output have different types.
#include <pure/pure.hpp>

#include <functional>
#include <vector>

void f(pure::comm world, std::vector<float>& in, std::vector<double>& out) {
  world.all_reduce_into(in, out, std::plus{});
}
