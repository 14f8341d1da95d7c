// Reproducible sum: one that has the same bits for any number of ranks. Rounding depends on how a sum is grouped, and
// so the last digits of an ordinary one depend on who has which part; reproducible_sum adds exactly and rounds once.
//
//   purecxx -O2 reproducible_sum.cpp -o reproducible_sum
//   for n in 1 2 3 4; do purerun -n $n ./reproducible_sum; done
//
// The numbers are whole ones, so that the sum is known from adding integers, and rounding that once.
// MPI has nothing of the kind. `purerun --reproducible-sums` rounds every reduction once, but cannot know what a rank
// has added up before, as here for the ordinary sum.
// test: for n in 1 2 3 4 7; do purerun -n $n {} || exit; done
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

int main(int argc, char** argv) {
  return pure::run(argc, argv, [](pure::comm world) {
    const auto rank = static_cast<std::size_t>(world.rank()), size = static_cast<std::size_t>(world.size());
    constexpr std::size_t numbers = 100'000;

    // Up to 2^46 each, together about 2^61: more digits than a double has.
    std::vector<double> all(numbers);
    std::int64_t whole_sum = 0;
    std::uint64_t random = 1;
    for (double& x : all) {
      random = random * 6364136223846793005U + 1442695040888963407U;  // a linear congruential generator (Knuth)
      const auto number = static_cast<std::int64_t>(random >> 18);
      x = static_cast<double>(number);  // exact
      whole_sum += number;              // exact
    }
    const double expected = static_cast<double>(whole_sum);  // rounded once

    const std::size_t first = numbers * rank / size, last = numbers * (rank + 1) / size;
    const std::span<const double> mine(all.data() + first, last - first);
    double share = 0;
    for (const double x : mine) share += x;
    const double ordinary = world.all_reduce(share, std::plus<>{});
    const double reproducible = world.reproducible_sum(mine);
    if (rank == 0) {
      std::printf("%2zu ranks: ordinary %.0f (off by %+.0f), reproducible %.0f (%+.0f)\n", size, ordinary,
                  ordinary - expected, reproducible, reproducible - expected);
    }
    return reproducible == expected ? 0 : 1;
  });
}
