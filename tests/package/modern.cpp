// A user's program for pure.hpp: the same token, typed.
#include <pure/pure.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    int sum = world.rank();
    if (world.rank() > 0) sum += world.recv<int>(world.rank() - 1);
    if (world.rank() + 1 < world.size()) {
      world.send(sum, world.rank() + 1);
    } else {
      std::printf("%d ranks, sum %d\n", world.size(), sum);
    }
  });
}
