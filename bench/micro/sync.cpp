// Synchronous sends: half a round trip of 8 B, as pingpong, beside the standard one.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=standard 8 B, synchronous 8 B
#include "ping_pong.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  session.in_turn([&] {
    bench::measure_ping_pong(session, "standard 8 B", 8, bench::send, bench::recv);
    bench::measure_ping_pong(session, "synchronous 8 B", 8, bench::ssend, bench::recv);
  });
}
