// Exchange between two processes, as at the borders of a grid: receives are posted, sends are started, all are waited
// for. One message each way, or six of different tags, all pairs at the same time.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=8 B, 1 KB, 4 KB, 16 KB, 64 KB, 1 MB, six of 8 B, six of 1 KB, six of 4 KB, six of 16 KB
#include "exchange.hpp"

namespace {

void measure_exchange(bench::session& s, const std::string& name, int messages, std::size_t bytes) {
  bench::exchange_buffers between(bytes, messages);
  const auto body = [&](long exchanges) { between.go(exchanges, bench::irecv, bench::isend, bench::waitall); };
  s.measure(name, bytes, body, bench::us_per());
  between.verify();
}

}  // namespace

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB, 64 * KB, MB}) {
    measure_exchange(session, bench::size_name(bytes), 1, bytes);
  }
  for (std::size_t bytes : bench::sizes{8, KB, 4 * KB, 16 * KB}) {
    measure_exchange(session, "six of " + bench::size_name(bytes), bench::exchange_buffers::most_messages, bytes);
  }
}
