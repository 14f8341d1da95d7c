// Latency when a message is received into the buffer that is sent back: half a round trip of data that the sender has
// just written, so that no copy of it is left in the receiver's caches.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; distance=yes; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 256 B, 1 KB, 2 KB, 4 KB, 8 KB, 64 KB, 256 KB, 1 MB, 16 MB
//
// Before each send, the first, the middle and the last word are increased, and the receiver checks them. The system
// limit is two threads without any library, in the fastest of several ways (see message_limits.hpp); from 64 KB on they
// copy one half each, or one of them copies all.
#if defined(BENCH_NO_MESSAGES)
#include "message_limits.hpp"
#else
#include "ping_pong.hpp"
#endif

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, 256, KB, 2 * KB, 4 * KB, 8 * KB, 64 * KB, 256 * KB, MB, 16 * MB}) {
#if defined(BENCH_NO_MESSAGES)
    if (bytes < 64 * KB) {
      bench::limits::measure_message_sent_back(session, bytes);
    } else {
      bench::limits::measure_exchanged_copy(session, bytes);
    }
#else
    bench::measure_dirty_ping_pong(session, bytes);
#endif
  }
}
