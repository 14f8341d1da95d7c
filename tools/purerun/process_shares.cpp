#include "purerun/process_shares.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "machine/host_share.hpp"
#include "machine/mapping.hpp"
#include "machine/rank_placement.hpp"
#include "machine/topology.hpp"

namespace purerun {

process_shares shares_of_processes(const pure::core::settings& values, int processes) {
  using namespace pure::core;
  process_shares made;
  if (values.map_by == "none" || values.host_split == "none") return made;
  const int ranks = values.ranks > 0 ? values.ranks : processes;
  if (ranks != processes && !map_by_path(values.map_by).empty()) return made;  // helpers may be where no rank is
  const mapping_wish wish{values.map_by, values.cpus_per_rank};
  std::optional<topology> rest;
  if (values.other_jobs != "ignore") {
    made.claims = std::make_unique<cpu_claims>();
    free_part found = claim_free_cpus(*made.claims, topology::of_this_machine(), ranks, wish);
    rest = std::move(found.rest);
    made.is_enough = found.is_enough;
    if (!made.is_enough) return made;
  }
  const topology& machine = rest ? *rest : topology::of_this_machine();
  made.cpus.resize(static_cast<std::size_t>(processes));
  if (ranks != processes && values.cpus_per_rank == 0) {
    for (int process = 0; process < processes; ++process)
      made.cpus[static_cast<std::size_t>(process)] = host_share(machine, process, processes, values.host_split);
    return made;
  }
  const std::vector<rank_place> places = map_ranks(machine, ranks, wish);
  const rank_placement placement = rank_placement::of(values.placement, ranks, processes);
  for (int process = 0; process < processes; ++process) {
    std::vector<int>& share = made.cpus[static_cast<std::size_t>(process)];
    for (const int rank : placement.ranks_of(process)) {
      const std::vector<int>& its = places[static_cast<std::size_t>(rank)].share;
      share.insert(share.end(), its.begin(), its.end());
    }
    std::sort(share.begin(), share.end());
    share.erase(std::unique(share.begin(), share.end()), share.end());
  }
  return made;
}

}  // namespace purerun
