// For tests/errors: two jobs of a program whose main is its own, with known messages.
#include <pure/pure.hpp>

#include <vector>

int main(int argc, char** argv) {
  for (int jobs = 0; jobs < 2; ++jobs) {
    const int status = pure::run(argc, argv, [](pure::comm world) {
      const int right = (world.rank() + 1) % world.size();
      world.send(std::vector<double>(1000, 1.0), right);  // moved: 8000 bytes
      (void)world.recv<std::vector<double>>();
      world.send(std::vector<double>(1000, 1.0), right, 1);  // moved, and copied at its end
      std::vector<double> copied(1000);
      world.recv_into(copied, pure::any_source, 1);
      int got = 0;
      world.sendrecv(world.rank(), right, got, pure::any_source, 2);
      world.barrier();
    });
    if (status != 0) return status;
  }
  return 0;
}
