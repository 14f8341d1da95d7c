// Puts and gets between two processes that do not share the window's memory: what each takes, with a flush, until it is
// complete at the target.
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=2; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=put 8 B, put 16 KB, put 64 KB, put 256 KB, put 1 MB, get 8 B, get 16 KB, get 64 KB, get 256 KB, get 1 MB
//
// The window lies in memory of the program (MPI_Win_create), which nobody maps: so the bytes travel, in one machine,
// too. The target waits in a barrier meanwhile, which moves its side on.
#include "rma.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  bench::rma::measure_moves(session, std::array{bench::window_kind::created});
}
