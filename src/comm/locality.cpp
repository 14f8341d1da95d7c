#include "comm/locality.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <vector>

namespace pure::core {

namespace {

// Numbers of nodes and cores are those of a machine: the machine's number goes above them.
constexpr std::int64_t on_machine(int machine, int number) noexcept { return (std::int64_t{machine} << 32) | number; }

std::vector<int> cpus_of_caller() {
  // The kernel refuses a mask that is smaller than its own.
  for (std::size_t cpus = 1024; cpus <= (1U << 20); cpus *= 2) {
    std::vector<unsigned long> mask(cpus / (8 * sizeof(unsigned long)));
    const std::size_t bytes = mask.size() * sizeof(unsigned long);
    auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
    if (sched_getaffinity(0, bytes, set) != 0) continue;
    std::vector<int> found;
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) found.push_back(static_cast<int>(cpu));
    }
    return found;
  }
  return {};
}

}  // namespace

locality locality_of(split_kind kind, const topology& machine, std::span<const int> cpus,
                     const other_processes* others) {
  const int host = others == nullptr ? 0 : others->host();
  const int process = others == nullptr ? 0 : others->process();
  if (kind == split_kind::machine) return {host, others == nullptr ? "machine" : fmt::format("machine {}", host)};
  if (kind == split_kind::process) return {process, others == nullptr ? "process" : fmt::format("process {}", process)};
  const bool by_numa = kind == split_kind::numa;
  int common = -1;
  for (const int cpu : cpus) {
    const hardware_thread* const thread = machine.find(cpu);
    if (thread == nullptr) return {};
    const int number = by_numa ? thread->numa : thread->core;
    if (common >= 0 && number != common) return {};
    common = number;
  }
  if (common < 0) return {};
  return {on_machine(host, common), fmt::format("{} {}", by_numa ? "numa" : "core", common)};
}

locality locality_of_caller(split_kind kind, const other_processes* others) {
  return locality_of(kind, topology::of_this_machine(), cpus_of_caller(), others);
}

}  // namespace pure::core
