// Latency between two processes as a program has it that begins with messages of this size, and whose ranks nothing
// binds but the system itself: half a round trip.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: place=own; alone=yes; cases=8 B, 1 KB, 8 KB, 16 KB, 64 KB, 1 MB
#include "ping_pong.hpp"

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, KB, 8 * KB, 16 * KB, 64 * KB, MB}) {
    if (session.wants(bench::size_name(bytes))) bench::measure_ping_pong(session, bytes);
  }
}
