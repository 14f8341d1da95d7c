// Events out of order in the simulations of phold: before which their object has executed a later one (Chandrasekar and
// Kale, section IV).
//
// bench: systems=pure, mpi; unit=%; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// By all-to-all, which an MPI has in all rows, there must be none.
#include "phold.hpp"

int main(int argc, char** argv) {
  return bench::run_items(argc, argv, [](bench::session& session, const bench::job& job) {
    bench::phold::measure_all(session, job, [](double, const auto& done) { return 100 * done.late / done.events; });
  });
}
