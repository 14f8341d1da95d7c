// Where the calling rank is, for communicators of the ranks that share a machine, a process, a NUMA node or a core.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "comm/create.hpp"
#include "machine/topology.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

struct locality {
  static constexpr std::int64_t none = -1;

  std::int64_t number = none;  // the same for those who share it, and no others, in the whole job
  std::string name;            // "numa 1"
};

/// By the cpus to which the calling thread is bound now. None: they belong to no single node or core.
locality locality_of_caller(split_kind kind, const other_processes* others = nullptr);

/// The same for a thread that may run on those cpus.
locality locality_of(split_kind kind, const topology& machine, std::span<const int> cpus,
                     const other_processes* others = nullptr);

}  // namespace pure::core
