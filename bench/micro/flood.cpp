// Message rate: non-blocking sends and receives in windows of 64, each message with buffers of its own; the receiver
// acknowledges each window.
//
// bench: systems=pure, mpi, limit; unit=M msg/s; better=higher; distance=yes; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 1 KB, 8 KB
//
// The system limit is two threads without any library that hand over the same messages one by one, in the faster of two
// ways (see message_limits.hpp).
#if defined(BENCH_NO_MESSAGES)
#include "message_limits.hpp"
#else
#include "flood.hpp"
#endif

int main(int argc, char** argv) {
  using bench::KB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, KB, 8 * KB}) {
#if defined(BENCH_NO_MESSAGES)
    bench::limits::measure_stream(session, bytes);
#else
    bench::measure_flood(session, bytes);
#endif
  }
}
