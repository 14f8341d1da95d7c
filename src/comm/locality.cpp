#include "comm/locality.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <vector>

#include "machine/memory_domain.hpp"

namespace pure::core {

namespace {

/// As ranks' names for what they share begin: short, and as people say it.
constexpr std::array<const char*, hardware_kinds> short_names{"machine", "socket", "numa", "die",  "l5",    "l4",
                                                              "l3",      "l2",     "l1",   "core", "thread"};

int host_of(const other_processes* others) noexcept { return others == nullptr ? 0 : others->host(); }

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

locality locality_in_machine(const other_processes* others) {
  return {host_of(others), others == nullptr ? "machine" : fmt::format("machine {}", others->host())};
}

locality locality_in_shared_memory(const other_processes* others, bool maps_memory_of_others) {
  if (others == nullptr) return locality_in_machine(others);
  if (!maps_memory_of_others) return locality_in_process(others);
  return {static_cast<std::int64_t>(memory_domain() >> 1), locality_in_machine(others).name};
}

locality locality_in_process(const other_processes* others) {
  if (others == nullptr) return {0, "process"};
  return {others->process(), fmt::format("process {}", others->process())};
}

locality locality_in(hardware_kind kind, const hardware_levels& machine, std::span<const int> cpus,
                     const other_processes* others) {
  if (kind == hardware_kind::machine) return locality_in_machine(others);
  const hardware_levels::object common = machine.common(kind, cpus);
  if (common.number == hardware_levels::none) return {};
  return {on_machine(host_of(others), common.number),
          fmt::format("{} {}", short_names[static_cast<std::size_t>(kind)], common.index)};
}

locality locality_of_caller(hardware_kind kind, const other_processes* others) {
  if (kind == hardware_kind::machine) return locality_in_machine(others);
  return locality_in(kind, hardware_levels::of_this_machine(), cpus_of_caller(), others);
}

hardware_numbers hardware_numbers_of_caller() {
  const std::vector<int> cpus = cpus_of_caller();
  hardware_numbers numbers;
  for (std::size_t i = 0; i < hardware_kinds; ++i)
    numbers[i] = hardware_levels::of_this_machine().common(static_cast<hardware_kind>(i), cpus).number;
  numbers[static_cast<std::size_t>(hardware_kind::machine)] = 0;
  return numbers;
}

}  // namespace pure::core
