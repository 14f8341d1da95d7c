// PHOLD, the usual load of discrete-event simulators, on two processes of two ranks, by the schemes of an aggregation;
// the time of an event (Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// 200 objects of a rank with 16 events each at the start; an event makes the next one for a random object of any rank,
// after 0.1 and an exponential time with mean 1, until time 5. By aggregation: a rank executes the earliest events that
// it knows. By all-to-all: rounds of 0.1, in which nobody can make an event for another one; an MPI has that in all
// rows. Checked: the events that are executed are those that were made, by number and by what is in them.
#include "phold.hpp"

int main(int argc, char** argv) {
  return bench::run_items(argc, argv, [](bench::session& session, const bench::job& job) {
    bench::phold::measure_all(session, job,
                              [](double seconds, const auto& done) { return 1e9 * seconds / done.events; });
  });
}
