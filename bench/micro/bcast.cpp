// Broadcast of a vector of doubles, from when the root starts until the last rank has it.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// Not a pipeline: the root of each broadcast is a rank that has just received the one before, in the buffer that it now
// writes anew and sends. It is the rank below the last root: in the usual trees, and in a simple loop, the one that is
// served last. With two ranks, the broadcasts go back and forth.
#include "collective_works.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::collective_sizes) bench::measure_collective(session, bytes, bench::bcast_work(bytes));
}
