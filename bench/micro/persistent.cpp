// Persistent messages: half a round trip of 8 B by requests that are made once and started each time, beside
// non-blocking messages whose requests are new each time.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=non-blocking 8 B, persistent 8 B
#include "ping_pong.hpp"

namespace {

void isend_and_wait(const void* data, std::size_t bytes, int to, int tag) {
  bench::request sending = bench::isend(data, bytes, to, tag);
  bench::wait(sending);
}
void irecv_and_wait(void* data, std::size_t bytes, int from, int tag) {
  bench::request receiving = bench::irecv(data, bytes, from, tag);
  bench::wait(receiving);
}

/// As measure_ping_pong, by two requests.
void measure_persistent(bench::session& s, std::size_t bytes) {
  bench::buffer out(bytes), in(bytes);
  const int peer = bench::partner();
  const bool first = bench::starts();
  bench::request sending = bench::send_init(out.data(), bytes, peer, 0);
  bench::request receiving = bench::recv_init(in.data(), bytes, peer, 0);
  const auto run = [](bench::request& each) {
    bench::start(each);
    bench::wait(each);
  };
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      out[0] = i;
      run(first ? sending : receiving);
      run(first ? receiving : sending);
      bench::check(in[0] == i, "ping-pong", bytes, i, in[0]);
    }
  };
  s.measure("persistent 8 B", bytes, body, bench::us_per(2));
  bench::free_request(sending);
  bench::free_request(receiving);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  session.in_turn([&] {
    bench::measure_ping_pong(session, "non-blocking 8 B", 8, isend_and_wait, irecv_and_wait);
    measure_persistent(session, 8);
  });
}
