// PingAck: the ranks of the lower half each send many items to their partners in the upper half; a partner that has got
// all of them acknowledges to rank 0, which takes the time (Chandrasekar and Kale, section IV).
//
// usage: pingack [ITEMS_OF_A_RANK]
// test: purerun -n 2 {} 10000 && purerun -n 6 {} 1000
//
// Verified: partners get each number once, and in order; rank 0 gets one acknowledgement of each.
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

#include "common.hpp"

int main(int argc, char** argv) {
  const auto given = numbers_of(
      argc, argv, "Ranks of the lower half send items to partners in the upper half, which acknowledge to rank 0.",
      {{"ITEMS_OF_A_RANK", "items", 1000, 1'000'000'000}});
  return pure::run(argc, argv, [&](pure::comm world) {
    const std::uint64_t count = given[0];
    const int half = world.size() / 2;
    std::uint64_t got = 0, out_of_order = 0;
    int acknowledged = 0;

    pure::aggregation items(world);
    const auto acknowledge = items.on<std::uint8_t>([&](std::uint8_t) { ++acknowledged; });
    const auto ping = items.on<std::uint64_t>([&](std::uint64_t number) {
      if (number != got) ++out_of_order;
      if (++got == count) acknowledge.send(1, 0, pure::urgent);
    });
    world.barrier();
    const stopwatch time;
    for (std::uint64_t i = 0; world.rank() < half && i < count; ++i) ping.send(i, world.rank() + half);
    items.flush();
    double us = 0;
    if (world.rank() == 0) {
      while (acknowledged < half) items.progress();
      us = time.ns() * 1e-3;
    }
    items.finish();

    const bool is_partner = world.rank() >= half && world.rank() < 2 * half;
    const bool is_right = got == (is_partner ? count : 0) && out_of_order == 0;
    const int wrong = world.all_reduce(is_right ? 0 : 1, std::plus<>{});
    if (world.rank() == 0) {
      std::printf("%d pairs of ranks, %llu items each: %.1f us to the last acknowledgement: %s\n", half,
                  static_cast<unsigned long long>(count), us, wrong == 0 ? "verified" : "WRONG");
    }
    return wrong == 0 ? 0 : 1;
  });
}
