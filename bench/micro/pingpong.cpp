// Latency: half a round trip between two ranks, each with its own send buffer and receive buffer.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 1 KB, 4 KB, 8 KB
//
// The system limit is a ring between two threads without any library (see limit.cpp), for 8 B and 64 B.
#if defined(BENCH_NO_MESSAGES)

#include "limits.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  bench::limits::measure_ring<8>(session);
  bench::limits::measure_ring<64>(session);
}

#else

#include "ping_pong.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 4 * bench::KB, 8 * bench::KB}) {
    bench::measure_ping_pong(session, bytes);
  }
}

#endif
