// Wasted updates of the searches of sssp: of the improvements that reach a vertex, how many come when a path at least
// as short is known (Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=%; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// Dijkstra's order wastes some, too: ten edges lead to a vertex on average.
#include "sssp.hpp"

int main(int argc, char** argv) {
  return bench::run_items(argc, argv, [](bench::session& session, const bench::job& job) {
    bench::sssp::measure_all(session, job,
                             [](double, long, const auto& done) { return 100 * done.wasted / done.updates; });
  });
}
