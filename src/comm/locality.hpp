// Where the calling rank is, for communicators of the ranks that share a machine, a process, or a part of a machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "machine/hardware_levels.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

struct locality {
  static constexpr std::int64_t none = -1;

  std::int64_t number = none;  // the same for those who share it, and no others, in the whole job
  std::string name;            // "numa 1"
};

locality locality_in_machine(const other_processes* others);
/// Of ranks that can share memory (MPI_COMM_TYPE_SHARED): those of one process; of several, if they map what others
/// make, the ones of a memory domain (machine/memory_domain.hpp). Exactly there all of them can make a shared window.
locality locality_in_shared_memory(const other_processes* others, bool maps_memory_of_others);
locality locality_in_process(const other_processes* others);

/// The part of a machine on which a thread runs that may run on those cpus; none: they belong to no single one.
locality locality_in(hardware_kind kind, const hardware_levels& machine, std::span<const int> cpus,
                     const other_processes* others);

/// The same for the cpus to which the calling thread is bound now.
locality locality_of_caller(hardware_kind kind, const other_processes* others);

/// The numbers of all parts in which the calling thread runs, by kind: unique in its machine. -1: in no single one.
using hardware_numbers = std::array<std::int32_t, hardware_kinds>;
hardware_numbers hardware_numbers_of_caller();

/// The number that a locality has for such a part.
[[nodiscard]] constexpr std::int64_t on_machine(std::int64_t machine, std::int32_t number) noexcept {
  return number < 0 ? locality::none : (machine << 32) | number;
}

}  // namespace pure::core
