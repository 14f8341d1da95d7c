#include "machine/host_share.hpp"

#include <algorithm>
#include <utility>

#include "machine/cpu_shares.hpp"

namespace pure::core {
namespace {

// What part `index` of `parts` gets of `things` in a row: the first and the end. More parts than things: one, with
// others.
std::pair<int, int> share_of(int things, int index, int parts) {
  const auto cut = [&](int at) { return static_cast<int>(static_cast<long>(things) * at / parts); };
  const int first = cut(index);
  return {first, std::max(first + 1, cut(index + 1))};
}

// The cores, or nodes, of allowed cpus: their numbers, in order.
std::vector<int> allowed_groups(const topology& machine, int hardware_thread::*group, int node) {
  std::vector<int> groups;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (thread.allowed && (node < 0 || thread.numa == node)) groups.push_back(thread.*group);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::vector<int> cpus_of(const topology& machine, int hardware_thread::*group, const std::vector<int>& groups,
                         std::pair<int, int> share) {
  std::vector<int> cpus;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    const auto from = groups.begin() + share.first, to = groups.begin() + share.second;
    if (thread.allowed && std::find(from, to, thread.*group) != to) cpus.push_back(thread.cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::vector<int> share_of_cores(const topology& machine, int node, int index, int processes) {
  const std::vector<int> cores = allowed_groups(machine, &hardware_thread::core, node);
  if (cores.size() < static_cast<std::size_t>(processes)) {
    const std::vector<int> cpus = cpus_of(machine, &hardware_thread::core, cores, {0, static_cast<int>(cores.size())});
    const auto shares = share_out(machine.restricted_to(cpus), static_cast<std::size_t>(processes), nullptr, 0);
    return shares[static_cast<std::size_t>(index)].cpus;
  }
  return cpus_of(machine, &hardware_thread::core, cores, share_of(static_cast<int>(cores.size()), index, processes));
}

}  // namespace

std::vector<int> host_share(const topology& machine, int index, int processes, std::string_view split) {
  if (split == "none") return {machine.allowed_cpus().begin(), machine.allowed_cpus().end()};
  if (split == "cores") return share_of_cores(machine, -1, index, processes);
  const std::vector<int> nodes = allowed_groups(machine, &hardware_thread::numa, -1);
  const int count = static_cast<int>(nodes.size());
  if (processes <= count) return cpus_of(machine, &hardware_thread::numa, nodes, share_of(count, index, processes));
  // Consecutive processes to a node; the node's cores among them.
  const auto node_of = [&](int process) { return static_cast<int>(static_cast<long>(process) * count / processes); };
  const int node = node_of(index);
  int first = index, end = index;
  while (first > 0 && node_of(first - 1) == node) --first;
  while (end < processes && node_of(end) == node) ++end;
  return share_of_cores(machine, nodes[static_cast<std::size_t>(node)], index - first, end - first);
}

}  // namespace pure::core
