// Latency when a message is received into the buffer that is sent back: half a round trip of data that the sender has
// just written, so that no copy of it is left in the receiver's caches.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 1 KB, 4 KB, 8 KB, 64 KB, 256 KB, 1 MB, 16 MB
//
// Before each send, the first, the middle and the last word are increased, and the receiver checks them. The system
// limit is two threads that copy one half each, or one thread that copies all, whichever is faster; from 64 KB.
#if defined(BENCH_NO_MESSAGES)

#include "limits.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{64 * bench::KB, 256 * bench::KB, bench::MB, 16 * bench::MB}) {
    bench::limits::measure_exchanged_copy(session, bytes);
  }
}

#else

#include "ping_pong.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 4 * bench::KB, 8 * bench::KB, 64 * bench::KB, 256 * bench::KB,
                                        bench::MB, 16 * bench::MB}) {
    bench::measure_dirty_ping_pong(session, bytes);
  }
}

#endif
