// Single-source shortest paths by label correcting: ranks relax edges as improvements come, the nearest vertices first;
// an improvement that comes too late is a wasted update (bale: sssp; Chandrasekar and Kale, section IV).
//
// usage: sssp [VERTICES_OF_A_RANK]
// test: purerun -n 1 {} 2000 && purerun -n 4 {} 3000 && purerun -n 6 {} 500
//
// The graph is random: ten edges from each vertex, with weights of 1 to 100. Verified against Dijkstra's algorithm on
// rank 0.
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "common.hpp"

namespace {

constexpr std::uint32_t degree = 10;
constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

struct relaxed {
  std::uint32_t vertex, distance;
};
using nearest_first = std::priority_queue<std::pair<std::uint32_t, std::uint32_t>,
                                          std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::greater<>>;

/// Edge k of a vertex: where to, and how long.
relaxed edge(std::uint32_t vertex, std::uint32_t k, std::uint32_t vertices) {
  const std::uint64_t random = mix(std::uint64_t{vertex} * degree + k);
  return {static_cast<std::uint32_t>(random % vertices), 1 + static_cast<std::uint32_t>((random >> 40) % 100)};
}

std::vector<std::uint32_t> dijkstra(std::uint32_t vertices) {
  std::vector<std::uint32_t> distance(vertices, far);
  nearest_first open;
  distance[0] = 0;
  open.push({0, 0});
  while (!open.empty()) {
    const auto [length, vertex] = open.top();
    open.pop();
    if (length > distance[vertex]) continue;
    for (std::uint32_t k = 0; k < degree; ++k) {
      const relaxed next = edge(vertex, k, vertices);
      if (length + next.distance >= distance[next.vertex]) continue;
      distance[next.vertex] = length + next.distance;
      open.push({distance[next.vertex], next.vertex});
    }
  }
  return distance;
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = numbers_of(argc, argv,
                                "Shortest paths from one vertex of a random graph that is spread over all ranks.",
                                {{"VERTICES_OF_A_RANK", "vertices", 20'000, 10'000'000}});
  return pure::run(argc, argv, [&](pure::comm world) {
    const auto ranks = static_cast<std::uint32_t>(world.size());
    const auto rows = static_cast<std::uint32_t>(given[0]);
    const std::uint32_t vertices = rows * ranks;  // vertex v is on rank v % ranks
    std::vector<std::uint32_t> distance(rows, far);
    nearest_first open;
    std::uint64_t updates = 0, wasted = 0;

    pure::aggregation items(world);
    const auto improve = items.on<relaxed>([&](const relaxed& found) {
      ++updates;
      std::uint32_t& known = distance[found.vertex / ranks];
      if (found.distance >= known) {
        ++wasted;
        return;
      }
      known = found.distance;
      open.push({found.distance, found.vertex});
    });
    const stopwatch time;
    if (world.rank() == 0) improve.send({0, 0}, 0);
    items.finish_with([&] {
      for (int i = 0; i < 16; ++i) {  // then others' improvements are handled
        if (open.empty()) return i > 0;
        const auto [length, vertex] = open.top();
        open.pop();
        if (length > distance[vertex / ranks]) continue;
        for (std::uint32_t k = 0; k < degree; ++k) {
          const relaxed next = edge(vertex, k, vertices);
          improve.send({next.vertex, length + next.distance}, static_cast<int>(next.vertex % ranks));
        }
      }
      return true;
    });
    const double ms = time.ns() * 1e-6;

    const auto all = world.gather(distance, 0);
    updates = world.all_reduce(updates, std::plus<>{});
    wasted = world.all_reduce(wasted, std::plus<>{});
    int wrong = 0;
    if (world.rank() == 0) {
      const std::vector<std::uint32_t> expected = dijkstra(vertices);
      for (std::uint32_t v = 0; v < vertices; ++v) wrong += all[v % ranks * rows + v / ranks] != expected[v] ? 1 : 0;
      std::printf("%d ranks, %u vertices: %.1f ms, %llu updates, %.1f %% of them wasted: %s\n", world.size(), vertices,
                  ms, static_cast<unsigned long long>(updates),
                  100.0 * static_cast<double>(wasted) / static_cast<double>(updates),
                  wrong == 0 ? "verified" : "WRONG");
    }
    return world.all_reduce(wrong, std::plus<>{}) == 0 ? 0 : 1;
  });
}
