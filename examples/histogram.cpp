// Histogram: each rank draws numbers, and counts them in bins that are dealt out to all ranks. A message for each
// number would cost many times what the count does; an aggregation packs them, and a handler of the receiver counts.
//
//   purecxx -O2 histogram.cpp -o histogram
//   purerun -n 4 ./histogram
//
// Each rank then goes through the numbers of all ranks: its bins must be what it finds there.
// The same in MPI: mpi/histogram.cpp. Larger programs of this kind: aggregation/.
// test: for n in 1 2 3 4; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

constexpr std::uint64_t numbers = 200'000;  // of all ranks
constexpr std::uint32_t bins = 50;

// The bin of the i-th number: of the sum of two dice with 25 and 26 sides, so that the bins in the middle are the
// fullest.
std::uint32_t bin_of(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;  // a hash (Steele, Lea, Flood, 2014): the same on every machine
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x ^= x >> 31;
  return static_cast<std::uint32_t>(x % 25 + (x >> 32) % 26);
}

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const auto rank = static_cast<std::uint32_t>(world.rank()), size = static_cast<std::uint32_t>(world.size());
    std::vector<long> mine(bins / size + 1);  // bin b is number b / size of rank b % size

    pure::aggregation items(world);
    const auto count = items.on<std::uint32_t>([&](std::uint32_t bin) { ++mine[bin]; });  // on this rank's own thread
    for (std::uint64_t i = rank; i < numbers; i += size) {
      const std::uint32_t bin = bin_of(i);
      count.send(bin / size, static_cast<int>(bin % size));
    }
    items.finish();  // what all ranks have sent is counted

    std::vector<long> expected(mine.size());
    for (std::uint64_t i = 0; i < numbers; ++i) {
      const std::uint32_t bin = bin_of(i);
      if (bin % size == rank) ++expected[bin / size];
    }
    const int wrong = world.all_reduce(mine == expected ? 0 : 1, std::plus<>{});
    const long all = world.all_reduce(std::reduce(mine.begin(), mine.end()), std::plus<>{});
    const long fullest = world.all_reduce(*std::max_element(mine.begin(), mine.end()), pure::max{});
    if (rank == 0) std::printf("%ld numbers, %ld of them in the fullest bin, %d ranks wrong\n", all, fullest, wrong);
    return wrong == 0 ? 0 : 1;
  });
}
