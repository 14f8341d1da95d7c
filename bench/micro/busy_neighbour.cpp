// Small steps of a job that has a CPU for each rank, while foreign programs compute on the same CPUs.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any
// bench: cases=quiet, busy
//
// Each rank is bound to its CPU, the foreign programs to all of these. See busy_neighbour.hpp; with all cores of the
// machine: --ranks.
#include "busy_neighbour.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  bench::cpu_set of_ranks;
  for (int rank = 0; rank < bench::size(); ++rank) of_ranks.add(session.cpu_of(rank));
  bench::measure_neighbours(session, of_ranks);
}
