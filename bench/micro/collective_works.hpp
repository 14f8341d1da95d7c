// One repetition of an all-reduce and of a broadcast (see collective.hpp), for the benchmarks of each and for
// net_collectives.
#pragma once

#include "collective.hpp"

namespace bench {

/// Every rank gets the sum of the vectors of all.
struct allreduce_work {
  explicit allreduce_work(std::size_t bytes) : count(bytes / sizeof(double)), in(count), out(count) {}

  void prepare(long rep) { write_words(in.data(), count, first_word(rep, rank())); }
  void run(long) { allreduce(in.data(), out.data(), count); }
  void consume(long rep) {
    const int n = size();
    check_words(out.data(), count, first_word_of_sum(rep, 0, n - 1), n, "sum");
  }

  std::size_t count;
  doubles in;
  doubles out;
};

/// Not a pipeline: the root of each broadcast is a rank that has just received the one before, in the buffer that it
/// now writes anew and sends. It is the rank below the last root: in the usual trees, and in a simple loop, the one
/// that is served last.
struct bcast_work {
  explicit bcast_work(std::size_t bytes) : count(bytes / sizeof(double)), data(count) {}

  static int root(long rep) { return size() - 1 - static_cast<int>(rep % size()); }

  void prepare(long rep) {
    if (rank() == root(rep)) write_words(data.data(), count, first_word(rep, root(rep)));
  }
  void run(long rep) { bcast(data.data(), count, root(rep)); }
  void consume(long rep) { check_words(data.data(), count, first_word(rep, root(rep)), 1, "broadcast"); }

  std::size_t count;
  doubles data;
};

}  // namespace bench
