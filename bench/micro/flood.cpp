// Message rate: non-blocking sends and receives in windows of 64, each message with buffers of its own; the receiver
// acknowledges each window.
//
// bench: systems=pure, mpi; unit=M msg/s; better=higher; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 1 KB, 8 KB
//
// The first word of each message is its number: the receiver checks every one of them.
#include "ping_pong.hpp"

namespace {

constexpr int window = 64;

void measure(bench::session& s, std::size_t bytes) {
  const int peer = bench::partner();
  const bool first = bench::starts();
  const std::size_t words = bytes / sizeof(long);
  bench::buffer data(window * bytes);
  bench::request requests[window];
  auto slot = [&](int k) { return data.data() + static_cast<std::size_t>(k) * words; };
  auto body = [&](long windows) {
    for (long i = 0; i < windows; ++i) {
      long acknowledged = i;
      if (first) {
        for (int k = 0; k < window; ++k) {
          *slot(k) = i * window + k;
          requests[k] = bench::isend(slot(k), bytes, peer, 0);
        }
        bench::waitall(window, requests);
        bench::recv(&acknowledged, sizeof acknowledged, peer, 1);
        bench::check(acknowledged == i, "acknowledgement", bytes, i, acknowledged);
      } else {
        for (int k = 0; k < window; ++k) requests[k] = bench::irecv(slot(k), bytes, peer, 0);
        bench::waitall(window, requests);
        for (int k = 0; k < window; ++k) {
          bench::check(*slot(k) == i * window + k, "number of the message", bytes, i * window + k, *slot(k));
        }
        bench::send(&acknowledged, sizeof acknowledged, peer, 1);
      }
    }
  };
  const int pairs = bench::size() / 2;
  s.measure(bench::size_name(bytes), bytes, body, bench::millions_per_second(window * pairs));
  for (int k = 0; k < window; ++k) {
    for (std::size_t w = 1; w < words; ++w) {
      const long expected = static_cast<long>(static_cast<std::size_t>(k) * words + w);
      bench::check(slot(k)[w] == expected, "contents", bytes, expected, slot(k)[w]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 8 * bench::KB}) measure(session, bytes);
}
