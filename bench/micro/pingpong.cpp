// Latency: half a round trip between two ranks, each with its own send buffer and receive buffer.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; distance=yes; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 256 B, 1 KB, 2 KB, 4 KB, 8 KB
//
// The system limit is two threads without any library that hand over as many bytes, in the fastest of several ways (see
// message_limits.hpp).
#if defined(BENCH_NO_MESSAGES)
#include "message_limits.hpp"
#else
#include "ping_pong.hpp"
#endif

int main(int argc, char** argv) {
  using bench::KB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, 256, KB, 2 * KB, 4 * KB, 8 * KB}) {
#if defined(BENCH_NO_MESSAGES)
    bench::limits::measure_message(session, bytes);
#else
    bench::measure_ping_pong(session, bytes);
#endif
  }
}
