// Probes: half a round trip of 8 B in which each receive comes after a probe, or is that of a matched probe, beside the
// plain one.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even
// bench: cases=receive 8 B, probe + receive 8 B, matched probe + receive 8 B
#include "ping_pong.hpp"

namespace {

void probe_and_receive(void* data, std::size_t bytes, int from, int tag) {
  const std::size_t found = bench::probe(from, tag);
  bench::check(found == bytes, "probed size", bytes, static_cast<long>(bytes), static_cast<long>(found));
  bench::recv(data, bytes, from, tag);
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  session.in_turn([&] {
    bench::measure_ping_pong(session, "receive 8 B", 8, bench::send, bench::recv);
    bench::measure_ping_pong(session, "probe + receive 8 B", 8, bench::send, probe_and_receive);
    bench::measure_ping_pong(session, "matched probe + receive 8 B", 8, bench::send, bench::mprobe_and_recv);
  });
}
