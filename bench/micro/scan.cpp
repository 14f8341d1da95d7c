// Scan (running sum over the ranks) of vectors of doubles, from when the first rank starts until the last has its sum.
//
// bench: systems=pure, mpi; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=8 B, 64 B, 1 KB, 8 KB, 64 KB, 256 KB, 1 MB, 8 MB
//
// Not a pipeline: every other scan is on a communicator with the ranks in the opposite order. The rank whose sum is the
// last to be complete is the first of the next scan, without whose vector no other rank gets its sum.
#include "collective.hpp"

namespace {

struct work {
  work(std::size_t bytes, bench::communicator reversed_world)
      : count(bytes / sizeof(double)), reversed(reversed_world), in(count), out(count) {}

  void prepare(long rep) { bench::write_words(in.data(), count, bench::first_word(rep, bench::rank())); }
  void run(long rep) { bench::scan(in.data(), out.data(), count, rep % 2 == 0 ? bench::world() : reversed); }
  void consume(long rep) {
    const int first = rep % 2 == 0 ? 0 : bench::rank();
    const int last = rep % 2 == 0 ? bench::rank() : bench::size() - 1;
    bench::check_words(out.data(), count, bench::first_word_of_sum(rep, first, last), last - first + 1, "running sum");
  }

  std::size_t count;
  bench::communicator reversed;
  bench::doubles in;
  bench::doubles out;
};

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  bench::communicator reversed = bench::reversed_world();
  for (std::size_t bytes : bench::collective_sizes) bench::measure_collective(session, bytes, work(bytes, reversed));
  bench::free_communicator(reversed);
}
