// One-sided operations on a window: what each takes, until it is complete at the target.
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=2; ranks-may-be=any
// bench: cases=fence, lock exclusive, lock shared, lock put 8 B, contended lock put 8 B
// bench: cases=put 8 B, put 1 KB, put 64 KB, put 1 MB, get 8 B, get 1 KB, get 64 KB, get 1 MB
// bench: cases=accumulate 8 B, accumulate 1 KB, accumulate 64 KB, accumulate 1 MB
// bench: cases=contended accumulate 8 B, contended accumulate 64 KB
// bench: cases=fetch_and_op 8 B, contended fetch_and_op 8 B
// bench: cases=compare_and_swap 8 B, contended compare_and_swap 8 B, create 4 KB
//
// Rank 0 works on the memory of the first rank of the second half, which waits meanwhile; contended: all ranks do, and
// each does as many. `lock`: lock and unlock, with a put between them, or none. `put`, `get`: with a flush, in an epoch
// of lock_all, as are the atomic operations: these are complete when Pure's call returns, and take an MPI another
// flush. `create`: make a window, store a word, free it.
//
// MPIs are asked for memory by MPI_Win_allocate and by MPI_Win_allocate_shared (Open MPI 4 only by the latter); of each
// case the faster one counts.
#include "rma.hpp"

int main(int argc, char** argv) {
  bench::session session(argc, argv);
#if defined(BENCH_PURE)
  bench::rma::measure_all(session, std::array{bench::window_kind::allocated});
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  // MPI_Compare_and_swap crashes in the others (Open MPI 4.1.4, btl/vader).
  bench::rma::measure_all(session, std::array{bench::window_kind::shared});
#else
  bench::rma::measure_all(session, std::array{bench::window_kind::allocated, bench::window_kind::shared});
#endif
}
