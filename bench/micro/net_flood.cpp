// Message rate between two processes: windows of 64 non-blocking messages, from the ranks of one to those of the other.
//
// bench: systems=pure, mpi; unit=M msg/s; better=higher; ranks=8; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=8 B, 64 B, 1 KB
#include "flood.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB}) bench::measure_flood(session, bytes);
}
