// Latency between two processes when a message is received into the buffer that is sent back: the sender has just
// written it, as programs have that compute what they send, so that no copy of it is left in the receiver's caches.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=4 KB, 8 KB, 16 KB, 32 KB, 64 KB, 256 KB, 1 MB
#include "ping_pong.hpp"

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{4 * KB, 8 * KB, 16 * KB, 32 * KB, 64 * KB, 256 * KB, MB}) {
    bench::measure_dirty_ping_pong(session, bytes);
  }
}
