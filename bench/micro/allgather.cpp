// All-gather: every rank gets a block of doubles from each rank. The size is that of one block.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// With N ranks, each rank reads N blocks and writes N, its own included.
#include "collective.hpp"

namespace {

struct work {
  explicit work(std::size_t bytes)
      : count(bytes / sizeof(double)), in(count), out(count * static_cast<std::size_t>(bench::size())) {}

  void prepare(long rep) { bench::write_words(in.data(), count, bench::first_word(rep, bench::rank())); }
  void run(long) { bench::allgather(in.data(), out.data(), count); }
  void consume(long rep) {
    for (int r = 0; r < bench::size(); ++r) {
      const double* block = out.data() + count * static_cast<std::size_t>(r);
      bench::check_words(block, count, bench::first_word(rep, r), 1, "gathered block");
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
