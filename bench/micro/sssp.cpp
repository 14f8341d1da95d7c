// Single-source shortest paths by label correcting, on two processes of two ranks, by the schemes of an aggregation;
// the time of a search (bale: sssp; Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=ms; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// 5000 vertices of a rank, ten edges from each, of length 1 to 100, to random vertices. By aggregation: ranks relax the
// nearest vertices that they know, while improvements come. By all-to-all: in rounds, until nobody has improved
// anything; an MPI has that in all rows. Every distance is checked against Dijkstra's algorithm.
#include "sssp.hpp"

int main(int argc, char** argv) {
  return bench::run_items(argc, argv, [](bench::session& session, const bench::job& job) {
    bench::sssp::measure_all(session, job, [](double seconds, long searches, const auto&) {
      return 1e3 * seconds / static_cast<double>(searches);
    });
  });
}
