// Ring: a token goes round all ranks, three times. Each rank receives it from the left, adds its own number and sends
// it to the right.
//
//   purecxx -O2 ring.cpp -o ring
//   purerun -n 4 ./ring
//
// The same with the interface of pure.h, for programs that come from MPI: ring_pure_h.cpp. In MPI: mpi/ring.cpp.
// test: for n in 1 2 3 4 9; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const int rank = world.rank(), size = world.size();
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    const int rounds = 3;

    long token = 0;
    for (int round = 0; round < rounds; ++round) {
      if (rank > 0) token = world.recv<long>(left);  // rank 0 has it to begin with
      token += rank;
      world.send(token, right);  // with one rank, to itself: a standard send of 8 bytes waits for nobody
      if (rank == 0) token = world.recv<long>(left);
    }
    if (rank > 0) return 0;

    std::printf("after %d rounds of %d ranks the token is %ld\n", rounds, size, token);
    return token == rounds * (size * (size - 1L) / 2) ? 0 : 1;  // each round adds 0 + 1 + ... + (size - 1)
  });
}
