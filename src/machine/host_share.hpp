// Which cpus of a machine a process may use that runs beside other processes of the same job.
//
// For processes that all have the same affinity: those that their launcher has bound have their shares already. Pure
// function; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "machine/topology.hpp"

namespace pure::core {

/// The share of process `index` of `processes` on this machine, ascending, never empty:
///   cores  neighbouring cores, equally many for each, or one more for some
///   numa   whole NUMA nodes, likewise; with more processes than nodes, those of a node share its cores
///   none   all
/// With more processes than cores, some share one, and have its hardware threads in turn.
std::vector<int> host_share(const topology& machine, int index, int processes, std::string_view split);

}  // namespace pure::core
