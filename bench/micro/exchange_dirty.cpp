// Exchange of data that is new each time, as in a transposition: both ranks write their block, exchange them by one
// call that sends and receives, and read what they have got. All three are in the time, and every word is looked at.
//
// bench: systems=pure, mpi, limit; unit=us; better=lower; distance=yes; ranks=2; ranks-may-be=even
// bench: cases=8 B, 1 KB, 8 KB, 32 KB, 64 KB, 128 KB, 512 KB
//
// The system limit is two threads without any library that write, hand over and read as many bytes, in the faster of
// two ways (see message_limits.hpp).
#if defined(BENCH_NO_MESSAGES)

#include "message_limits.hpp"

namespace {
using bench::limits::measure_fresh_exchange;
}

#else

#include "ping_pong.hpp"
#include "word_sum.hpp"

namespace {

void measure_fresh_exchange(bench::session& s, std::size_t bytes) {
  bench::buffer out(bytes), in(bytes);
  const int peer = bench::partner();
  const auto body = [&](long exchanges) {
    for (long i = 0; i < exchanges; ++i) {
      out.fill(i + bench::rank());
      bench::sendrecv(out.data(), in.data(), bytes, peer, 0);
      bench::check_sum(in, i + peer);
    }
  };
  s.measure(bench::size_name(bytes), bytes, body, bench::us_per());
}

}  // namespace

#endif

int main(int argc, char** argv) {
  using bench::KB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, KB, 8 * KB, 32 * KB, 64 * KB, 128 * KB, 512 * KB}) {
    measure_fresh_exchange(session, bytes);
  }
}
