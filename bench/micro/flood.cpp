// Message rate: non-blocking sends and receives in windows of 64, each message with buffers of its own; the receiver
// acknowledges each window.
//
// bench: systems=pure, mpi; unit=M msg/s; better=higher; ranks=2; ranks-may-be=even
// bench: cases=8 B, 64 B, 1 KB, 8 KB
#include "flood.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::sizes{8, 64, bench::KB, 8 * bench::KB}) bench::measure_flood(session, bytes);
}
