// All-reduce: every rank gets the sum of the vectors of doubles of all ranks.
//
// bench: systems=pure, mpi, openmp, limit; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// Traffic: with vectors of S bytes, each rank must read S (its N-th part of all N vectors) and write S (its part of all
// N results): 16 MB a rank for 8 MB, 32 MB for two ranks together, not counting lines that are read because they are
// written. The system limit is threads that do just that, without waiting for each other, on vectors that their owners
// have just written; from 64 KB. So pure/limit = 1.43 is 70 % of the bandwidth that this machine has for it.
//
// OpenMP: in one parallel region, the faster of a reduction clause and of a loop over the elements that adds the
// vectors of all threads; the result is one vector that all threads read. See allreduce_openmp.hpp.
#if defined(BENCH_OPENMP)
#include "allreduce_openmp.hpp"
#elif defined(BENCH_NO_MESSAGES)
#include "allreduce_limit.hpp"
#else
#include "collective_works.hpp"

namespace {

void measure(bench::session& s, std::size_t bytes) {
  bench::measure_collective(s, bytes, bench::allreduce_work(bytes));
}

}  // namespace
#endif

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::collective_sizes) measure(session, bytes);
}
