// Latency when both ranks share one core: what handing the core over costs. MPIs run in their politest mode.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; place=same-core
// bench: cases=8 B, 64 B, 1 KB, 8 KB
#include "ping_pong.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 8 * bench::KB}) bench::measure_ping_pong(session, bytes);
}
