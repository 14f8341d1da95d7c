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

namespace {

void measure(bench::session& s, std::size_t bytes) {
  bench::buffer data(bytes);
  const int peer = bench::partner();
  const bool first = bench::starts();
  const std::size_t marked[] = {0, data.size() / 2, data.size() - 1};
  const std::size_t marks = std::min<std::size_t>(data.size(), 3);  // one word has one mark
  long sent = 0;                                                    // by both together: what each marked word has grown
  auto increase = [&] {
    for (std::size_t m = 0; m < marks; ++m) ++data[marked[m]];
    ++sent;
  };
  auto expect_increased = [&] {
    for (std::size_t m = 0; m < marks; ++m) {
      const long expected = static_cast<long>(marked[m]) + sent;
      bench::check(data[marked[m]] == expected, "marked word", bytes, expected, data[marked[m]]);
    }
  };
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      if (first) {
        increase();
        bench::send(data.data(), bytes, peer, 0);
        bench::recv(data.data(), bytes, peer, 0);
        ++sent;
        expect_increased();
      } else {
        bench::recv(data.data(), bytes, peer, 0);
        ++sent;
        expect_increased();
        increase();
        bench::send(data.data(), bytes, peer, 0);
      }
    }
  };
  s.measure(bench::size_name(bytes), bytes, body, bench::us_per(2));
  for (std::size_t m = 0; m < marks; ++m) data[marked[m]] -= sent;
  data.verify(0);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 4 * bench::KB, 8 * bench::KB, 64 * bench::KB, 256 * bench::KB,
                                        bench::MB, 16 * bench::MB}) {
    measure(session, bytes);
  }
}

#endif
