// Three ranks that hang: a message goes round, and then each receives from the next one before it sends.
#include <pure/pure.hpp>

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const int next = (world.rank() + 1) % world.size();
    const int before = (world.rank() + world.size() - 1) % world.size();
    // Right: one of them sends first.
    if (world.rank() == 0) world.send(1.0, next);
    const auto first = world.recv<double>(before);
    if (world.rank() != 0) world.send(first + 1, next);
    // Wrong: all of them receive first.
    const auto second = world.recv<double>(next);
    world.send(second, before);
    return 0;
  });
}
