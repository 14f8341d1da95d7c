#include "machine/cpu_shares.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/text.hpp"

namespace pure::core {
namespace {

using core_cpus = std::vector<int>;          // of one core, those that are allowed
using group_cores = std::vector<core_cpus>;  // of one group, in their order

/// By group; those without an allowed cpu are empty.
std::vector<group_cores> cores_by_group(const topology& machine, int hardware_thread::*group) {
  std::vector<group_cores> groups;
  int last_core = -1;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (!thread.allowed) continue;
    const auto own_group = group == nullptr ? std::size_t{0} : static_cast<std::size_t>(thread.*group);
    if (groups.size() <= own_group) groups.resize(own_group + 1);
    if (thread.core != last_core) groups[own_group].emplace_back();
    last_core = thread.core;
    groups[own_group].back().push_back(thread.cpu);
  }
  return groups;
}

/// Where something is: which group, and which thing of it.
struct position {
  std::size_t group, index;
};

/// Groups that have so many things each give them away in turn.
std::vector<position> dealt_in_turn(const std::vector<std::size_t>& counts) {
  std::vector<position> order;
  bool is_more = true;
  for (std::size_t turn = 0; is_more; ++turn) {
    is_more = false;
    for (std::size_t group = 0; group < counts.size(); ++group) {
      if (turn >= counts[group]) continue;
      order.push_back({group, turn});
      is_more = true;
    }
  }
  return order;
}

struct place_in_group {
  std::size_t group;
  int cpu;
};

/// The cpus in the order in which ranks take them: each core's first one, then each core's second, and so on.
std::vector<place_in_group> order_of_cpus(const std::vector<group_cores>& groups) {
  std::vector<place_in_group> order;
  for (std::size_t level = 0;; ++level) {
    std::vector<std::vector<int>> of_level(groups.size());
    std::vector<std::size_t> counts;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const core_cpus& core : groups[group]) {
        if (level < core.size()) of_level[group].push_back(core[level]);
      }
      counts.push_back(of_level[group].size());
    }
    const std::vector<position> dealt = dealt_in_turn(counts);
    if (dealt.empty()) return order;
    for (const position& each : dealt) order.push_back({each.group, of_level[each.group][each.index]});
  }
}

cpu_share whole_cores(const group_cores& cores, std::size_t first, std::size_t end) {
  cpu_share made{.own = cores[first].front(), .cpus = {}};
  for (std::size_t at = first; at < end; ++at) made.cpus.insert(made.cpus.end(), cores[at].begin(), cores[at].end());
  return made;
}

/// More ranks than cores: each has its cpu, and what its core has left is the first one's there.
void give_what_is_left(const group_cores& cores, const std::vector<cpu_share*>& ranks) {
  std::set<int> taken;
  for (const cpu_share* const each : ranks) taken.insert(each->own);
  for (const core_cpus& core : cores) {
    const auto has = [&](const cpu_share* rank) {
      return std::find(core.begin(), core.end(), rank->own) != core.end();
    };
    cpu_share& first = **std::find_if(ranks.begin(), ranks.end(), has);
    for (const int cpu : core) {
      if (!taken.contains(cpu)) first.cpus.push_back(cpu);
    }
  }
}

std::vector<cpu_share> share_out_all(const std::vector<group_cores>& groups, std::size_t ranks) {
  const std::vector<place_in_group> order = order_of_cpus(groups);
  std::vector<cpu_share> shares(ranks);
  std::vector<std::vector<cpu_share*>> of_group(groups.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const place_in_group& place = order[rank % order.size()];
    shares[rank] = {.own = place.cpu, .cpus = {place.cpu}};
    of_group[place.group].push_back(&shares[rank]);
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const group_cores& cores = groups[group];
    const std::vector<cpu_share*>& here = of_group[group];
    if (here.size() > cores.size()) {
      give_what_is_left(cores, here);
      continue;
    }
    for (std::size_t i = 0; i < here.size(); ++i)
      *here[i] = whole_cores(cores, cores.size() * i / here.size(), cores.size() * (i + 1) / here.size());
  }
  return shares;
}

/// The shares of one group that begin with a core of their own.
std::vector<cpu_share> shares_of_whole_cores(const group_cores& cores, std::size_t cpus) {
  std::vector<cpu_share> shares;
  for (std::size_t first = 0, end = 0; first < cores.size(); first = end) {
    std::size_t found = 0;
    for (; found < cpus && end < cores.size(); ++end) found += cores[end].size();
    if (found < cpus) break;
    shares.push_back(whole_cores(cores, first, end));
    shares.back().cpus.resize(cpus);
  }
  return shares;
}

/// The shares of one group with nothing left between them.
std::vector<cpu_share> shares_in_a_row(const group_cores& cores, std::size_t cpus) {
  std::vector<int> row;
  for (const core_cpus& core : cores) row.insert(row.end(), core.begin(), core.end());
  std::vector<cpu_share> shares;
  for (auto first = row.begin(); row.end() - first >= static_cast<std::ptrdiff_t>(cpus);) {
    const auto end = first + static_cast<std::ptrdiff_t>(cpus);
    shares.push_back({.own = *first, .cpus = {first, end}});
    first = end;
  }
  return shares;
}

/// Fewer than `ranks` where there is no room.
template <class Divide>
std::vector<cpu_share> dealt_shares(const std::vector<group_cores>& groups, std::size_t ranks, std::size_t cpus,
                                    Divide divide) {
  std::vector<std::vector<cpu_share>> of_group;
  std::vector<std::size_t> counts;
  for (const group_cores& cores : groups) {
    of_group.push_back(divide(cores, cpus));
    counts.push_back(of_group.back().size());
  }
  std::vector<cpu_share> shares;
  for (const position& each : dealt_in_turn(counts)) {
    if (shares.size() == ranks) break;
    shares.push_back(std::move(of_group[each.group][each.index]));
  }
  return shares;
}

}  // namespace

std::vector<cpu_share> share_out(const topology& machine, std::size_t ranks, int hardware_thread::*group,
                                 int cpus_per_rank) {
  const std::vector<group_cores> groups = cores_by_group(machine, group);
  std::vector<cpu_share> shares;
  if (cpus_per_rank == 0) {
    shares = share_out_all(groups, ranks);
  } else {
    const auto cpus = static_cast<std::size_t>(cpus_per_rank);
    shares = dealt_shares(groups, ranks, cpus, shares_of_whole_cores);
    if (shares.size() < ranks) shares = dealt_shares(groups, ranks, cpus, shares_in_a_row);
    if (shares.size() < ranks) {
      const auto allowed = machine.allowed_cpus();
      throw Error(errc::argument,
                  fmt::format("impossible mapping: there is no room for {} of {} each (--cpus-per-rank, "
                              "PURE_CPUS_PER_RANK): this process may use {}: {}. Start fewer ranks, or ask for fewer.",
                              counted(ranks, "rank"), counted(cpus, "cpu"), counted(allowed.size(), "cpu"),
                              cpu_list_text(allowed)));
    }
  }
  for (cpu_share& each : shares) std::sort(each.cpus.begin(), each.cpus.end());
  return shares;
}

}  // namespace pure::core
