// Hello: ranks are threads of one process. Each says who it is, and all together count themselves.
//
//   purecxx -O2 hello.cpp -o hello
//   purerun -n 4 ./hello          # without purerun, or without -n: one rank for each core
//
// The same in MPI: mpi/hello.cpp.
// test: for n in 1 2 3 4; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <cstdio>
#include <functional>

int main(int argc, char** argv) {
  // Called once for each rank. What the function returns, the program returns: the first value that is not 0.
  return pure::run(argc, argv, [](pure::comm world) {
    std::printf("rank %d of %d says hello\n", world.rank(), world.size());

    const int sum = world.all_reduce(world.rank(), std::plus<>{});  // every rank gets it
    const int expected = world.size() * (world.size() - 1) / 2;     // 0 + 1 + ... + (size - 1)
    if (world.rank() == 0) std::printf("the ranks add up to %d\n", sum);
    return sum == expected ? 0 : 1;
  });
}
