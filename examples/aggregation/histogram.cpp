// Histogram: every rank adds to counters that are spread over all ranks (bale: histo; Chandrasekar and Kale, section
// IV).
//
// usage: histogram [UPDATES_OF_A_RANK [COUNTERS_OF_A_RANK]]
// test: purerun -n 1 {} 20000 && purerun -n 4 {} 50000 && purerun -n 7 {} 10000 13
//
// Verified: all counters together are as many as there were updates, and each is what its rank finds by going through
// the updates of all ranks.
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "common.hpp"

int main(int argc, char** argv) {
  const auto given = numbers_of(argc, argv, "Every rank adds to counters that are spread over all ranks.",
                                {{"UPDATES_OF_A_RANK", "updates", 1'000'000, 1'000'000'000},
                                 {"COUNTERS_OF_A_RANK", "counters", 10'000, 1'000'000'000}});
  return pure::run(argc, argv, [&](pure::comm world) {
    const std::uint64_t updates = given[0], counters = given[1];
    const auto ranks = static_cast<std::uint64_t>(world.size());
    const auto update = [&](std::uint64_t rank, std::uint64_t i) { return mix(rank << 40 | i) % (counters * ranks); };

    std::vector<std::uint64_t> table(counters);  // counter c is number c / ranks of rank c % ranks
    std::vector<std::uint64_t> indices(updates);
    for (std::uint64_t i = 0; i < updates; ++i) indices[i] = update(static_cast<std::uint64_t>(world.rank()), i);

    pure::aggregation items(world);
    const auto add = items.on<std::uint32_t>([t = table.data()](std::uint32_t index) { ++t[index]; });
    world.barrier();
    const stopwatch time;
    for (const std::uint64_t index : indices)
      add.send(static_cast<std::uint32_t>(index / ranks), static_cast<int>(index % ranks));
    items.finish();
    const double ns = time.ns();

    std::vector<std::uint64_t> expected(counters);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t i = 0; i < updates; ++i) {
        const std::uint64_t index = update(rank, i);
        if (index % ranks == static_cast<std::uint64_t>(world.rank())) ++expected[index / ranks];
      }
    }
    const int wrong = world.all_reduce(table == expected ? 0 : 1, std::plus<>{});
    const auto buffers = world.all_reduce(items.stats().buffers, std::plus<>{});
    if (world.rank() == 0) {
      std::printf("%d ranks, %llu updates each: %.2f ns an update and rank, %llu buffers: %s\n", world.size(),
                  static_cast<unsigned long long>(updates), ns / static_cast<double>(updates),
                  static_cast<unsigned long long>(buffers), wrong == 0 ? "verified" : "WRONG");
    }
    return wrong == 0 ? 0 : 1;
  });
}
