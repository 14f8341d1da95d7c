// The same as busy_neighbour, with ranks that are bound to nothing.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; place=own
// bench: cases=quiet, busy
//
// Ranks and foreign programs may run on the same CPUs, of which there are as many as ranks.
#include "busy_neighbour.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  bench::cpu_set::every().allow();
  const bench::cpu_set of_ranks = bench::cpu_set::own().first(bench::size());
  of_ranks.allow();
  bench::measure_neighbours(session, of_ranks);
}
