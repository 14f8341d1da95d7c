// The stencil with random work as it is written in C++20, through pure/pure.hpp: the loop over the elements is a
// pure::parallel_for. With its main: pure::run starts the ranks.
#include <pure/pure.hpp>

#include <span>
#include <vector>

#include "driver.hpp"
#include "random_work.hpp"

namespace {

void rand_stencil(const pure::comm& world, std::span<double> a, std::size_t iterations) {
  std::vector<double> temp(a.size());
  for (std::size_t it = 0; it < iterations; ++it) {
    pure::parallel_for(
        a.size(), [&](std::size_t i) { temp[i] = random_work(a[i]); }, pure::cache_aligned(temp));
    for (std::size_t i = 1; i + 1 < a.size(); ++i) a[i] = (temp[i - 1] + temp[i] + temp[i + 1]) / 3.0;

    if (const int below = world.rank() - 1; below >= 0) {
      world.send(temp.front(), below);
      a.front() = (world.recv<double>(below) + temp[0] + temp[1]) / 3.0;
    }
    if (const int above = world.rank() + 1; above < world.size()) {
      world.send(temp.back(), above);
      a.back() = (temp[temp.size() - 2] + temp.back() + world.recv<double>(above)) / 3.0;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [argc, argv](pure::comm world) {
    return run_stencil(argc, argv, "parallel_for", [&](double* a, std::size_t size, std::size_t iterations, int, int) {
      rand_stencil(world, {a, size}, iterations);
    });
  });
}
