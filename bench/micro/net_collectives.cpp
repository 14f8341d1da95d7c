// Collectives of the ranks of two processes: barrier, all-reduce and broadcast, as in the benchmarks of each.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=8; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=barrier, allreduce 8 B, allreduce 1 KB, allreduce 64 KB, allreduce 1 MB, bcast 8 B, bcast 64 KB
#include "barrier.hpp"
#include "collective_works.hpp"

namespace {

// What telling the other process of a moment to start may take over TCP.
constexpr double lead_seconds = 200e-6;

template <class Work>
void measure(bench::session& s, const std::string& collective, bench::sizes sizes) {
  for (std::size_t bytes : sizes) {
    bench::measure_collective(s, collective + " " + bench::size_name(bytes), bytes, Work(bytes), lead_seconds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using bench::KB, bench::MB;
  bench::session session(argc, argv);
  bench::measure_barrier(session);
  measure<bench::allreduce_work>(session, "allreduce", {8, KB, 64 * KB, MB});
  measure<bench::bcast_work>(session, "bcast", {8, 64 * KB});
}
