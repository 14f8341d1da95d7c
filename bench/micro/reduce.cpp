// Reduction (sum) of vectors of doubles to a root, from when the last rank contributes until the root has the sum.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// Not a pipeline: the root of each reduction waits for the last root, which contributes only after it has checked the
// sum before. The root is the rank above the last root, to which that one is the farthest in the usual trees. With two
// ranks, the reductions go back and forth.
#include "collective.hpp"

namespace {

struct work {
  explicit work(std::size_t bytes) : count(bytes / sizeof(double)), in(count), out(count) {}

  static int root(long rep) { return static_cast<int>(rep % bench::size()); }

  void prepare(long rep) { bench::write_words(in.data(), count, bench::first_word(rep, bench::rank())); }
  void run(long rep) { bench::reduce(in.data(), out.data(), count, root(rep)); }
  void consume(long rep) {
    if (bench::rank() != root(rep)) return;
    const int n = bench::size();
    bench::check_words(out.data(), count, bench::first_word_of_sum(rep, 0, n - 1), n, "sum");
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
