#include "machine/hwloc_machine.hpp"

#include "base/environment.hpp"

namespace pure::core {

hwloc_machine load_hwloc(const char* imagined, hwloc_objects wanted) {
  hide_ignored_variables("HWLOC_");  // HWLOC_PLUGINS_PATH names libraries to load
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, hwloc_topology_destroy};
  hwloc_machine handle(raw, hwloc_topology_destroy);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Without groups, a node that is half a socket would count as near to the whole of it.
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  if (wanted == hwloc_objects::all) {
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_DIE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  // The kernel's files say all we need. The x86 component would visit every core to ask it by cpuid.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (imagined != nullptr && hwloc_topology_set_synthetic(raw, imagined) != 0) return {nullptr, hwloc_topology_destroy};
  if (hwloc_topology_load(raw) != 0) return {nullptr, hwloc_topology_destroy};
  return handle;
}

hwloc_obj_t numa_node_of(hwloc_topology_t machine, hwloc_obj_t thread) noexcept {
  hwloc_obj_t node = nullptr;
  do {
    node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node);
  } while (node != nullptr && !hwloc_bitmap_isset(node->cpuset, thread->os_index));
  return node;
}

}  // namespace pure::core
