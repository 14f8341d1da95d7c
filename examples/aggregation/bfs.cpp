// Breadth-first search of a Graph500 graph (graph500.hpp), level by level, done three ways in turn: by an aggregation;
// by messages, in buffers for each rank that are sent when they are full; and by an all-to-all a level. The first is
// set against the better one of the others.
//
// usage: bfs [SCALE [SEARCHES]]
// test: purerun -n 1 {} 9 2 && purerun -n 4 {} 12 4 && purerun -n 7 {} 6 3
//
// Every tree of every way is validated as the specification says. Searches go top down only.
#include <pure/pure.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"
#include "graph500.hpp"

namespace {

using graph500::graph;
using graph500::none;

struct visit {
  std::uint32_t vertex;  // number on its rank
  std::uint32_t parent;
};

/// What all ways share: the tree, and the vertices of the level that is searched from, and of the next one.
class search {
 public:
  search(pure::comm all, const graph& its, std::uint32_t root) : world(all), on(its), parents(its.vertices(), none) {
    if (!on.is_here(root)) return;
    parents[on.local(root)] = root;
    level_.push_back(on.local(root));
  }

  void reach(const visit& found) {
    if (parents[found.vertex] != none) return;
    parents[found.vertex] = found.parent;
    next_.push_back(found.vertex);
  }
  /// send(visit, rank) for each edge that leaves this level.
  template <class Send>
  void for_neighbours(Send send) const {
    for (const std::uint32_t from : level_) {
      const std::uint32_t parent = on.global(from);
      for (const std::uint32_t* to = on.begin_of(from); to != on.end_of(from); ++to)
        send({on.local(*to), parent}, on.owner(*to));
    }
  }
  /// Collective. False: it is empty, on all ranks.
  bool go_to_next_level() {
    level_.swap(next_);
    next_.clear();  // before others learn that this rank is ready: they may send for the level after it
    return world.all_reduce(std::uint64_t{level_.size()}, std::plus<>{}) > 0;
  }

  const pure::comm world;
  const graph& on;
  std::vector<std::uint32_t> parents;

 private:
  std::vector<std::uint32_t> level_, next_;
};

// Each way keeps its buffers from search to search.

class visits_by_aggregation {
 public:
  explicit visits_by_aggregation(const pure::comm& world)
      : items_(world, {.name = "visits"}),
        visit_(items_.on<visit>([this](const visit& found) { its_->reach(found); })) {}

  void operator()(search& its) {
    its_ = &its;
    do {
      its.for_neighbours([&](const visit& found, int rank) { visit_.send(found, rank); });
      items_.finish();
    } while (its.go_to_next_level());
  }

 private:
  search* its_ = nullptr;
  pure::aggregation items_;
  pure::channel<visit> visit_;
};

/// A buffer that is not full is the last one of its sender in this level. Levels have tags of their own, for ranks that
/// are ahead; vectors change hands, and those that have come are the next to be sent.
class visits_by_messages {
 public:
  explicit visits_by_messages(const pure::comm& world)
      : world_(world), waiting_(static_cast<std::size_t>(world.size())) {
    for (auto& each : waiting_) each.reserve(full);
  }

  void operator()(search& its) {
    level_ = 0;
    do {
      search_level(its);
      ++level_;
    } while (its.go_to_next_level());
  }

 private:
  static constexpr std::size_t full = 1024;

  void search_level(search& its) {
    to_end_ = world_.size() - 1;
    its.for_neighbours([&](const visit& found, int rank) {
      if (rank == world_.rank()) return its.reach(found);
      std::vector<visit>& buffer = waiting_[static_cast<std::size_t>(rank)];
      buffer.push_back(found);
      if (buffer.size() < full) return;
      send(rank);
      while (auto come = world_.improbe(pure::any_source, level_)) take(std::move(*come), its);
    });
    for (int rank = 0; rank < world_.size(); ++rank) {
      if (rank != world_.rank()) send(rank);
    }
    while (to_end_ > 0) take(world_.mprobe(pure::any_source, level_), its);
    pure::wait_all(sends_);
    sends_.clear();
  }

  void send(int rank) {
    std::vector<visit>& buffer = waiting_[static_cast<std::size_t>(rank)];
    pure::request sent = world_.isend(std::move(buffer), rank, level_);
    if (!sent.test()) sends_.push_back(std::move(sent));
    buffer = {};
    if (!spare_.empty()) {
      buffer = std::move(spare_.back());
      spare_.pop_back();
    }
    buffer.reserve(full);
  }

  void take(pure::message come, search& its) {
    auto got = come.recv<std::vector<visit>>();
    if (got.size() < full) --to_end_;
    for (const visit& found : got) its.reach(found);
    got.clear();
    if (spare_.size() < 4 * waiting_.size()) spare_.push_back(std::move(got));
  }

  const pure::comm world_;
  std::vector<std::vector<visit>> waiting_, spare_;
  std::vector<pure::request> sends_;
  int level_ = 0;
  int to_end_ = 0;  // ranks whose last buffer of this level has not come
};

class visits_by_all_to_all {
 public:
  explicit visits_by_all_to_all(const pure::comm& world)
      : world_(world), for_rank_(ranks()), out_counts_(ranks()), in_counts_(ranks()) {}

  void operator()(search& its) {
    do {
      its.for_neighbours(
          [&](const visit& found, int rank) { for_rank_[static_cast<std::size_t>(rank)].push_back(found); });
      out_.clear();
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        out_counts_[rank] = static_cast<std::int64_t>(for_rank_[rank].size());
        out_.insert(out_.end(), for_rank_[rank].begin(), for_rank_[rank].end());
        for_rank_[rank].clear();
      }
      world_.all_to_all_into(out_counts_, in_counts_);
      in_.resize(static_cast<std::size_t>(std::accumulate(in_counts_.begin(), in_counts_.end(), std::int64_t{0})));
      world_.all_to_allv_into(out_, out_counts_, in_, in_counts_);
      for (const visit& found : in_) its.reach(found);
    } while (its.go_to_next_level());
  }

 private:
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }

  const pure::comm world_;
  std::vector<std::vector<visit>> for_rank_;
  std::vector<visit> out_, in_;
  std::vector<std::int64_t> out_counts_, in_counts_;
};

struct way {
  const char* name;
  std::function<void(search&)> run;
};

}  // namespace

int main(int argc, char** argv) {
  const auto given = numbers_of(argc, argv, "Breadth-first searches of a Graph500 graph of 2^SCALE vertices.",
                                {{"SCALE", "2^SCALE vertices, 16 times as many edges", 16, 28},
                                 {"SEARCHES", "searches, each from another root", 8, 64}});
  return pure::run(argc, argv, [&](pure::comm world) {
    const graph on(world, static_cast<unsigned>(given[0]));
    visits_by_aggregation by_aggregation(world);
    visits_by_messages by_messages(world);
    visits_by_all_to_all by_all_to_all(world);
    const std::array ways{way{"an aggregation", std::ref(by_aggregation)}, way{"messages", std::ref(by_messages)},
                          way{"all-to-alls", std::ref(by_all_to_all)}};
    std::array<double, 3> ns_of_edge{};  // summed over searches: the harmonic mean of edges a second
    std::uint64_t edges = 0;
    std::string mistakes;
    for (std::uint64_t number = 0; number < given[1]; ++number) {
      const std::uint32_t root = on.root(world, number);
      std::array<graph500::validation, 3> found;
      for (std::size_t i = 0; i < ways.size(); ++i) {
        search its(world, on, root);
        world.barrier();
        const stopwatch time;
        ways[i].run(its);
        const double ns = time.ns();
        found[i] = graph500::validate(world, on, root, its.parents);
        ns_of_edge[i] += ns / static_cast<double>(std::max<std::uint64_t>(found[i].edges, 1));
        std::string& wrong = found[i].mistakes;
        if (found[i].reached != found[0].reached || found[i].level_sum != found[0].level_sum)
          wrong.append(" It has not found what ").append(ways[0].name).append(" has.");
        if (!wrong.empty())
          mistakes.append("from ")
              .append(std::to_string(root))
              .append(" by ")
              .append(ways[i].name)
              .append(":")
              .append(wrong + "\n");
      }
      edges += found[0].edges;
    }
    if (world.rank() == 0) {
      const auto searches = static_cast<double>(given[1]);
      std::printf("%d ranks, 2^%llu vertices, %llu edges; %llu searches through %llu edges each\n", world.size(),
                  static_cast<unsigned long long>(given[0]), static_cast<unsigned long long>(on.all_edges()),
                  static_cast<unsigned long long>(given[1]), static_cast<unsigned long long>(edges / given[1]));
      for (std::size_t i = 0; i < ways.size(); ++i)
        std::printf("  by %-15s %9.3f million edges a second (TEPS, harmonic mean)\n", ways[i].name,
                    1e3 * searches / ns_of_edge[i]);
      std::printf("an aggregation against the better one of the others: %.2f; %s\n",
                  std::min(ns_of_edge[1], ns_of_edge[2]) / ns_of_edge[0], mistakes.empty() ? "verified" : "WRONG");
      std::fputs(mistakes.c_str(), stdout);
    }
    return mistakes.empty() ? 0 : 1;
  });
}
