// Single-source shortest paths by label correcting, on two processes of two ranks, by the schemes of an aggregation;
// the time of a search (bale: sssp; Chandrasekar and Kale, section IV).
//
// bench: systems=pure, mpi; unit=ms; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// 5000 vertices of a rank, ten edges from each, of length 1 to 100, to random vertices. By aggregation: ranks relax the
// nearest vertices that they know, while improvements come. By all-to-all: in rounds, until nobody has improved
// anything; an MPI has that in all rows. Every distance is checked against Dijkstra's algorithm.
#include <functional>
#include <limits>
#include <queue>

#include "items.hpp"

namespace {

constexpr std::uint32_t rows = 5000, degree = 10, far = std::numeric_limits<std::uint32_t>::max();

struct relaxed {
  std::uint32_t vertex, distance;
};
using known = std::pair<std::uint32_t, std::uint32_t>;  // distance, vertex
using nearest_first = std::priority_queue<known, std::vector<known>, std::greater<>>;

/// Vertex v is on rank v % size().
class graph {
 public:
  graph()
      : ranks_(static_cast<std::uint32_t>(bench::size())),
        vertices_(rows * ranks_),
        right_(rows, far),
        found_(rows, far) {
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
    for (std::uint32_t i = 0; i < rows; ++i) right_[i] = all[i * ranks_ + static_cast<std::uint32_t>(bench::rank())];
  }

  relaxed edge(std::uint32_t vertex, std::uint32_t k, std::uint32_t length) const {
    const std::uint64_t random = bench::mix(std::uint64_t{vertex} * degree + k);
    return {static_cast<std::uint32_t>(random % vertices_),
            length + 1 + static_cast<std::uint32_t>((random >> 40) % 100)};
  }
  int owner(std::uint32_t vertex) const { return static_cast<int>(vertex % ranks_); }
  std::uint32_t& distance(std::uint32_t vertex) { return found_[vertex / ranks_]; }

  void clear() { std::fill(found_.begin(), found_.end(), far); }
  void verify() const {
    for (std::uint32_t i = 0; i < rows; ++i)
      bench::check(found_[i] == right_[i], "a distance", 4, static_cast<long>(right_[i]), static_cast<long>(found_[i]));
  }

 private:
  std::uint32_t ranks_;
  std::uint32_t vertices_;
  std::vector<std::uint32_t> right_, found_;
};

/// Searches on each rank, from an empty graph on. The time is that of the searches alone.
template <class Way>
struct searches {
  graph& of;
  Way way;

  double operator()(long n) {
    double seconds = 0;
    for (long i = 0; i < n; ++i) {
      of.clear();
      bench::barrier();
      const double start = bench::now();
      way.search();
      seconds += bench::now() - start;
      of.verify();
    }
    return seconds;
  }
};

struct by_all_to_all {
  graph& of;
  bench::exchange<relaxed> items = {};

  void search() {
    if (bench::rank() == 0) items.add({0, 0}, 0);
    for (bool is_going_on = true; is_going_on;) {
      nearest_first improved;
      for (const relaxed& each : items.run()) {
        std::uint32_t& now = of.distance(each.vertex);
        if (each.distance >= now) continue;
        now = each.distance;
        improved.push({each.distance, each.vertex});
      }
      is_going_on = bench::sum(improved.empty() ? 0 : 1) > 0;
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
      std::uint32_t& now = graph->distance(each.vertex);
      if (each.distance >= now) return;
      now = each.distance;
      open->push({each.distance, each.vertex});
    });
  }
  void search() {
    if (bench::rank() == 0) improve_->send({0, 0}, 0);
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

template <class Way>
void measure(bench::session& on, const char* name, graph& of, Way way) {
  searches<Way> body{of, std::move(way)};
  on.measure(name, 0, body, bench::us_per(1000));
}

void run(bench::session& session, const bench::job& job) {
  graph of;
#if defined(BENCH_PURE)
  for (const bench::named_scheme& each : bench::all_schemes)
    measure(session, each.name, of, by_aggregation(of, job.world, each.how));
#else
  static_cast<void>(job);
  for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"}) measure(session, name, of, by_all_to_all{of});
#endif
  measure(session, "by all-to-all", of, by_all_to_all{of});
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
