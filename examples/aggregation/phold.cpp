// PHOLD, the usual load of discrete-event simulators: objects get events, and each event makes one for a random object
// some time later. Ranks execute the earliest event that they know, without asking whether an earlier one is still
// under way: events that come out of order are counted (Chandrasekar and Kale, section IV).
//
// usage: phold [OBJECTS_OF_A_RANK [END_OF_TIME]]
// test: purerun -n 1 {} 100 10 && purerun -n 4 {} 100 10 && purerun -n 6 {} 30 5
//
// Sixteen events of each object at the start; an event makes the next one after 0.1 and an exponential time with mean
// 1; destinations are uniform. Verified: as many events are executed as were made.
#include <pure/pure.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "common.hpp"

int main(int argc, char** argv) {
  const auto given = numbers_of(
      argc, argv,
      "Discrete events of objects that are spread over all ranks, executed without asking whether an earlier one is under way.",
      {{"OBJECTS_OF_A_RANK", "objects", 1000, 100'000'000}, {"END_OF_TIME", "the simulated time", 20, 1'000'000}});
  return pure::run(argc, argv, [&](pure::comm world) {
    struct event {
      double time;
      std::uint64_t object;  // of the rank
    };
    const auto later = [](const event& a, const event& b) { return a.time > b.time; };
    const std::uint64_t objects = given[0];
    const auto end = static_cast<double>(given[1]);
    std::mt19937_64 random(mix(static_cast<std::uint64_t>(world.rank())));
    std::exponential_distribution<double> delay(1.0);
    std::priority_queue<event, std::vector<event>, decltype(later)> known(later);
    std::vector<double> now(objects);
    std::uint64_t made = 0, executed = 0, late = 0;
    for (std::uint64_t i = 0; i < 16 * objects; ++i) {
      known.push({delay(random), i % objects});
      ++made;
    }

    pure::aggregation items(world);
    const auto schedule = items.on<event>([&](const event& each) { known.push(each); });
    world.barrier();
    const stopwatch time;
    items.finish_with([&] {
      for (int i = 0; i < 32; ++i) {
        if (known.empty()) return i > 0;
        const event each = known.top();
        known.pop();
        ++executed;
        if (each.time < now[each.object]) ++late;
        now[each.object] = std::max(now[each.object], each.time);
        const double next = each.time + 0.1 + delay(random);
        if (next >= end) continue;
        ++made;
        schedule.send({next, random() % objects}, static_cast<int>(random() % static_cast<unsigned>(world.size())));
      }
      return true;
    });
    const double ms = time.ns() * 1e-6;

    const auto sum = [&](std::uint64_t mine) { return world.all_reduce(mine, std::plus<>{}); };
    const std::uint64_t all_made = sum(made), all_executed = sum(executed), all_late = sum(late);
    const bool is_right = all_made == all_executed;
    if (world.rank() == 0) {
      std::printf("%d ranks, %llu events: %.1f ms, %.2f %% out of order: %s\n", world.size(),
                  static_cast<unsigned long long>(all_executed), ms,
                  100.0 * static_cast<double>(all_late) / static_cast<double>(all_executed),
                  is_right ? "verified" : "WRONG");
    }
    return is_right ? 0 : 1;
  });
}
