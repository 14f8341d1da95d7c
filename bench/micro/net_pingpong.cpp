// Latency between two processes: half a round trip between a rank of each.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=8 B, 64 B, 256 B, 1 KB, 2 KB, 4 KB, 8 KB, 16 KB, 64 KB, 256 KB, 1 MB, 16 MB
#include "ping_pong.hpp"

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes :
       bench::sizes{8, 64, 256, KB, 2 * KB, 4 * KB, 8 * KB, 16 * KB, 64 * KB, 256 * KB, MB, 16 * MB}) {
    bench::measure_ping_pong(session, bytes);
  }
}
