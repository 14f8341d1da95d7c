// Graph topologies of which each rank knows its part (MPI 5.0, 8.5.4).
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "coll/collective.hpp"
#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"
#include "objects/topology_call.hpp"

namespace pure::core {

namespace {

/// An edge as one rank tells it to all.
struct told_edge {
  int source, destination, weight;
  bool has_weight;
};

void append_nodes(std::vector<int>& to, int count, const int from[], const int weights[],
                  std::vector<int>& weights_to) {
  to.insert(to.end(), from, from + count);
  if (weights != nullptr && count > 0) weights_to.insert(weights_to.end(), weights, weights + count);
}

/// The edges that all ranks of `among` tell, in the order of the ranks.
std::vector<told_edge> all_edges(communicator& among, const call& by, const std::vector<told_edge>& own) {
  const auto ranks = static_cast<std::size_t>(among.size());
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  const auto own_count = static_cast<std::int64_t>(own.size());
  collective_arguments what;
  what.kind = collective::allgather;
  what.send = &own_count;
  what.count = 1;
  what.element_bytes = sizeof own_count;
  what.recv = counts.data();
  what.recv_blocks = {.block_bytes = sizeof own_count};
  run_collective(among, by, what);
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    displs[r] = sum;
    sum += counts[r];
  }
  std::vector<told_edge> all(static_cast<std::size_t>(sum) + 1);
  const told_edge nothing{};
  what.send = own.empty() ? &nothing : own.data();
  what.count = own.size();
  what.element_bytes = sizeof(told_edge);
  what.recv = all.data();
  what.recv_blocks = {.counts = counts.data(), .displs = displs.data(), .element_bytes = sizeof(told_edge)};
  run_collective(among, by, what);
  all.pop_back();
  return all;
}

}  // namespace

const distributed_graph& topology_call::distributed() const {
  const process_topology* const of = find_topology(on_);
  if (of == nullptr || of->what() != process_topology::kind::distributed_graph) throw_no_topology("distributed graph");
  return of->distributed();
}

void topology_call::check_nodes(int count, const int nodes[], const char* name) const {
  if (count < 0) throw_bad_argument(on_, by_, errc::argument, fmt::format("there are no {} {}", count, name));
  require_array(nodes, static_cast<std::size_t>(count), name);
  for (int i = 0; i < count; ++i) check_rank(nodes[i]);
}

communicator* topology_call::make_adjacent(int indegree, const int sources[], const int source_weights[], int outdegree,
                                           const int destinations[], const int destination_weights[],
                                           const void* result) const {
  checked_creation(on_, by_, [&] {
    require(on_, by_, result, "the new communicator");
    check_nodes(indegree, sources, "sources");
    check_nodes(outdegree, destinations, "destinations");
  });
  distributed_graph made;
  made.is_weighted = source_weights != nullptr || destination_weights != nullptr;
  append_nodes(made.sources, indegree, sources, source_weights, made.source_weights);
  append_nodes(made.destinations, outdegree, destinations, destination_weights, made.destination_weights);
  return with(process_topology(std::move(made)), &duplicate(on_, by_));
}

communicator* topology_call::make_distributed(int n, const int sources[], const int degrees[], const int destinations[],
                                              const int weights[], const void* result) const {
  std::vector<told_edge> own;
  checked_creation(on_, by_, [&] {
    require(on_, by_, result, "the new communicator");
    check_nodes(n, sources, "sources");
    require_array(degrees, static_cast<std::size_t>(n), "degrees");
    int at = 0;
    for (int i = 0; i < n; ++i) {
      check_nodes(degrees[i], destinations + at, "destinations");
      for (int k = 0; k < degrees[i]; ++k, ++at)
        own.push_back({sources[i], destinations[at], weights == nullptr ? 0 : weights[at], weights != nullptr});
    }
  });
  communicator& made = duplicate(on_, by_);
  distributed_graph graph;
  const std::vector<told_edge> all = all_edges(made, by_, own);
  // Who tells no edges may have no array of weights, either: the others know.
  graph.is_weighted = all.empty() ? weights != nullptr : all.front().has_weight;
  for (const told_edge& each : all) {
    if (each.destination == made.rank()) {
      graph.sources.push_back(each.source);
      if (graph.is_weighted) graph.source_weights.push_back(each.weight);
    }
    if (each.source == made.rank()) {
      graph.destinations.push_back(each.destination);
      if (graph.is_weighted) graph.destination_weights.push_back(each.weight);
    }
  }
  return with(process_topology(std::move(graph)), &made);
}

void topology_call::get_distributed(int max_indegree, int sources[], int source_weights[], int max_outdegree,
                                    int destinations[], int destination_weights[]) const {
  const distributed_graph& of = distributed();
  const auto give_first = [](const std::vector<int>& from, int most, int to[]) {
    if (to != nullptr)
      std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(most, 0))), to);
  };
  give_first(of.sources, max_indegree, sources);
  give_first(of.destinations, max_outdegree, destinations);
  give_first(of.source_weights, max_indegree, source_weights);
  give_first(of.destination_weights, max_outdegree, destination_weights);
}

}  // namespace pure::core
