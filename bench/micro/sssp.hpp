// Single-source shortest paths by label correcting, and the ways to do it (sssp.cpp, sssp_wasted.cpp). Every distance
// is checked against Dijkstra's algorithm.
#pragma once

#include <functional>
#include <limits>
#include <queue>

#include "items.hpp"

namespace bench::sssp {

inline constexpr std::uint32_t rows = 5000, degree = 10, far = std::numeric_limits<std::uint32_t>::max();

struct relaxed {
  std::uint32_t vertex, distance;
};
using known = std::pair<std::uint32_t, std::uint32_t>;  // distance, vertex
using nearest_first = std::priority_queue<known, std::vector<known>, std::greater<>>;

/// Vertex v is on rank v % size().
class graph {
 public:
  graph() : ranks_(static_cast<std::uint32_t>(size())), vertices_(rows * ranks_), right_(rows, far), found_(rows, far) {
    std::vector<std::uint32_t> all(vertices_, far);
    nearest_first open;
    all[0] = 0;
    open.push({0, 0});
    while (!open.empty()) {
      const auto [length, vertex] = open.top();
      open.pop();
      if (length > all[vertex]) continue;
      for (std::uint32_t k = 0; k < degree; ++k) {
        const relaxed next = edge(vertex, k, length);
        if (next.distance >= all[next.vertex]) continue;
        all[next.vertex] = next.distance;
        open.push({next.distance, next.vertex});
      }
    }
    for (std::uint32_t i = 0; i < rows; ++i) right_[i] = all[i * ranks_ + static_cast<std::uint32_t>(rank())];
  }

  relaxed edge(std::uint32_t vertex, std::uint32_t k, std::uint32_t length) const {
    const std::uint64_t random = mix(std::uint64_t{vertex} * degree + k);
    return {static_cast<std::uint32_t>(random % vertices_),
            length + 1 + static_cast<std::uint32_t>((random >> 40) % 100)};
  }
  int owner(std::uint32_t vertex) const { return static_cast<int>(vertex % ranks_); }
  std::uint32_t distance(std::uint32_t vertex) const { return found_[vertex / ranks_]; }
  /// False if a distance at least as short was known: the update is wasted.
  bool improve(const relaxed& update) {
    std::uint32_t& known_so_far = found_[update.vertex / ranks_];
    ++updates_;
    if (update.distance >= known_so_far) {
      ++wasted_;
      return false;
    }
    known_so_far = update.distance;
    return true;
  }
  double updates() const { return updates_; }
  double wasted() const { return wasted_; }

  void clear() {
    std::fill(found_.begin(), found_.end(), far);
    updates_ = wasted_ = 0;
  }
  void verify() const {
    for (std::uint32_t i = 0; i < rows; ++i)
      check(found_[i] == right_[i], "a distance", 4, static_cast<long>(right_[i]), static_cast<long>(found_[i]));
  }

 private:
  std::uint32_t ranks_;
  std::uint32_t vertices_;
  std::vector<std::uint32_t> right_, found_;
  double updates_ = 0, wasted_ = 0;
};

/// Searches on each rank, from an empty graph on. The time is that of the searches alone.
template <class Way>
struct searches {
  graph& of;
  Way way;
  double updates = 0, wasted = 0;  // of all ranks, in the last batch

  double operator()(long n) {
    double seconds = updates = wasted = 0;
    for (long i = 0; i < n; ++i) {
      of.clear();
      barrier();
      const double start = now();
      way.search();
      seconds += now() - start;
      of.verify();
      updates += sum(of.updates());
      wasted += sum(of.wasted());
    }
    return seconds;
  }
};

struct by_all_to_all {
  graph& of;
  exchange<relaxed> items = {};

  void search() {
    if (rank() == 0) items.add({0, 0}, 0);
    for (bool is_going_on = true; is_going_on;) {
      nearest_first improved;
      for (const relaxed& each : items.run()) {
        if (of.improve(each)) improved.push({each.distance, each.vertex});
      }
      is_going_on = sum(improved.empty() ? 0 : 1) > 0;
      for (; !improved.empty(); improved.pop()) {
        const auto [length, vertex] = improved.top();
        if (length > of.distance(vertex)) continue;
        for (std::uint32_t k = 0; k < degree; ++k) {
          const relaxed next = of.edge(vertex, k, length);
          items.add(next, of.owner(next.vertex));
        }
      }
    }
  }
};

#if defined(BENCH_PURE)
class by_aggregation {
 public:
  by_aggregation(graph& of, pure::comm& world, pure::scheme how)
      : of_(of),
        open_(std::make_unique<nearest_first>()),
        items_(std::make_unique<pure::aggregation>(world, pure::aggregation_options{.how = how})) {
    improve_ = items_->on<relaxed>([graph = &of, open = open_.get()](const relaxed& each) {
      if (graph->improve(each)) open->push({each.distance, each.vertex});
    });
  }
  void search() {
    if (rank() == 0) improve_->send({0, 0}, 0);
    items_->finish_with([this] {
      for (int i = 0; i < 16; ++i) {  // then others' improvements are handled
        if (open_->empty()) return i > 0;
        const auto [length, vertex] = open_->top();
        open_->pop();
        if (length > of_.distance(vertex)) continue;
        for (std::uint32_t k = 0; k < degree; ++k) {
          const relaxed next = of_.edge(vertex, k, length);
          improve_->send(next, of_.owner(next.vertex));
        }
      }
      return true;
    });
  }

 private:
  graph& of_;
  std::unique_ptr<nearest_first> open_;
  std::unique_ptr<pure::aggregation> items_;
  std::optional<pure::channel<relaxed>> improve_;
};
#endif

/// Each way in turn. `value(seconds, repetitions, searches)`: of a batch.
template <class Value>
void measure_all(session& on, const job& job, Value value) {
  graph of;
  const auto measure = [&](const char* name, auto way) {
    searches<decltype(way)> body{of, std::move(way)};
    on.measure(name, 0, body, [&](double seconds, long n) { return value(seconds, n, body); });
  };
  on.in_turn([&] {
#if defined(BENCH_PURE)
    for (const named_scheme& each : all_schemes) measure(each.name, by_aggregation(of, job.world, each.how));
#else
    static_cast<void>(job);
    for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"}) measure(name, by_all_to_all{of});
#endif
    measure("by all-to-all", by_all_to_all{of});
  });
}

}  // namespace bench::sssp
