// Loading what hwloc knows of this machine, or of an imagined one. For topology.cpp and hardware_levels.cpp: nothing
// else sees hwloc.
#pragma once

#include <hwloc.h>

#include <memory>

namespace pure::core {

using hwloc_machine = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

/// Which objects are looked up, besides NUMA nodes and hardware threads: what is not asked for costs no time.
enum class hwloc_objects {
  places,  // sockets and cores, as every job needs them
  all      // also dies and caches
};

/// A description of a machine ("pack:2 core:4 pu:2") is optional. Null if hwloc fails.
hwloc_machine load_hwloc(const char* imagined, hwloc_objects wanted);

/// The first NUMA node with that hardware thread: of several (ordinary and fast memory) it is the ordinary one.
hwloc_obj_t numa_node_of(hwloc_topology_t machine, hwloc_obj_t thread) noexcept;

}  // namespace pure::core
