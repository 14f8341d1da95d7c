// For the tests of purerun: main() runs on every rank, as in the paper. Rank 0 prints how many there are; all ranks
// return the status that is given as an argument.
#include <pure.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (pure_rank() == 0) std::printf("%d ranks\n", pure_size());
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
