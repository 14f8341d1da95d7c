// Index-gather: every rank reads elements of a table that is spread over all ranks (bale: ig). Each request is
// answered.
//
// usage: index_gather [REQUESTS_OF_A_RANK [ROWS_OF_A_RANK]]
// test: purerun -n 1 {} 20000 && purerun -n 4 {} 50000 && purerun -n 7 {} 10000 13
//
// Verified: element i of the table is -(i + 1), so that every reply shows whether it is right.
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "common.hpp"

int main(int argc, char** argv) {
  const auto given = numbers_of(argc, argv, "Every rank reads elements of a table that is spread over all ranks.",
                                {{"REQUESTS_OF_A_RANK", "requests", 1'000'000, 1'000'000'000},
                                 {"ROWS_OF_A_RANK", "elements", 10'000, 1'000'000'000}});
  return pure::run(argc, argv, [&](pure::comm world) {
    const std::uint64_t requests = given[0], rows = given[1];
    const auto ranks = static_cast<std::uint64_t>(world.size()), me = static_cast<std::uint64_t>(world.rank());
    std::vector<std::int64_t> table(rows);  // element i is number i / ranks of rank i % ranks
    for (std::uint64_t i = 0; i < rows; ++i) table[i] = -static_cast<std::int64_t>(i * ranks + me + 1);
    std::vector<std::uint64_t> indices(requests);
    for (std::uint64_t i = 0; i < requests; ++i) indices[i] = mix(me << 40 | i) % (rows * ranks);
    std::vector<std::int64_t> got(requests);

    pure::aggregation items(world, {.measure_latency = true});
    const auto look = items.on_query<std::uint32_t>(
        [t = table.data()](std::uint32_t row) { return t[row]; },
        [g = got.data()](std::int64_t value, std::uint64_t token) { g[token] = value; });
    world.barrier();
    const stopwatch time;
    for (std::uint64_t i = 0; i < requests; ++i)
      look.ask(static_cast<std::uint32_t>(indices[i] / ranks), static_cast<int>(indices[i] % ranks), i);
    items.finish();
    const double ns = time.ns();

    int mistakes = 0;
    for (std::uint64_t i = 0; i < requests; ++i)
      mistakes += got[i] != -static_cast<std::int64_t>(indices[i] + 1) ? 1 : 0;
    mistakes = world.all_reduce(mistakes, std::plus<>{});
    if (world.rank() == 0) {
      std::printf("%d ranks, %llu requests each: %.2f ns a request with its reply: %s\n", world.size(),
                  static_cast<unsigned long long>(requests), ns / static_cast<double>(requests),
                  mistakes == 0 ? "verified" : "WRONG");
      std::puts("time from the first item of a buffer to its handling at rank 0:");
      const auto& latency = items.stats().latency;
      for (std::size_t step = 0; step < latency.size(); ++step) {
        if (latency[step] > 0)
          std::printf("  up to %10.1f us: %llu buffers\n", static_cast<double>(std::uint64_t{2} << step) * 1e-3,
                      static_cast<unsigned long long>(latency[step]));
      }
    }
    return mistakes == 0 ? 0 : 1;
  });
}
