// All-to-all: every rank sends a block of doubles of its own to each rank. The size is that of one block.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// With N ranks, each rank reads N blocks and writes N, the one to itself included.
#include "collective.hpp"

namespace {

struct work {
  explicit work(std::size_t bytes)
      : count(bytes / sizeof(double)),
        in(count * static_cast<std::size_t>(bench::size())),
        out(count * static_cast<std::size_t>(bench::size())) {}

  void prepare(long rep) {
    for (int to = 0; to < bench::size(); ++to) {
      double* block = in.data() + count * static_cast<std::size_t>(to);
      bench::write_words(block, count, bench::first_word(rep, bench::rank(), to));
    }
  }
  void run(long) { bench::alltoall(in.data(), out.data(), count); }
  void consume(long rep) {
    for (int from = 0; from < bench::size(); ++from) {
      const double* block = out.data() + count * static_cast<std::size_t>(from);
      bench::check_words(block, count, bench::first_word(rep, from, bench::rank()), 1, "block");
    }
  }

  std::size_t count;
  bench::doubles in;
  bench::doubles out;
};

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (std::size_t bytes : bench::collective_sizes) bench::measure_collective(session, bytes, work(bytes));
}
