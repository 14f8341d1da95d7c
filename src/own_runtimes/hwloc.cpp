// hwloc for this library alone. A program may bring an hwloc of its own: so that neither meets the other's functions,
// this one is no library that is needed, but opened when the machine is looked at, and what the core calls goes on to
// it. Without it, nothing is known of the machine's parts. Any thread.
#include <dlfcn.h>
#include <hwloc.h>

#include "base/allocator.hpp"

namespace {

static_assert(HWLOC_API_VERSION >= 0x20000 && HWLOC_API_VERSION < 0x30000, "the version in the name");

/// Null: there is none.
void* library_of_hwloc() {
  // A sanitizer's runtime ends a process that asks for the flag: its functions would not be found before libc's.
  static const bool has_sanitizer = dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr;
  static const bool comes_first = !has_sanitizer && !pure::core::has_other_allocator();
  static void* const opened = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL | (comes_first ? RTLD_DEEPBIND : 0));
  return opened;
}

/// Calls the function of that name, or returns `otherwise`.
template <class Function, class Result, class... Arguments>
Result forward(const char* name, Result otherwise, Arguments... arguments) {
  void* const library = library_of_hwloc();
  auto* const function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  return function == nullptr ? otherwise : function(arguments...);
}

}  // namespace

#define PURE_FORWARD(name, otherwise, ...) return forward<decltype(name)>(#name, otherwise __VA_OPT__(, ) __VA_ARGS__)

extern "C" {

int hwloc_bitmap_first(hwloc_const_bitmap_t bitmap) { PURE_FORWARD(hwloc_bitmap_first, -1, bitmap); }
int hwloc_bitmap_isset(hwloc_const_bitmap_t bitmap, unsigned id) { PURE_FORWARD(hwloc_bitmap_isset, 0, bitmap, id); }
hwloc_obj_t hwloc_get_obj_by_depth(hwloc_topology_t topology, int depth, unsigned index) {
  PURE_FORWARD(hwloc_get_obj_by_depth, hwloc_obj_t{}, topology, depth, index);
}
int hwloc_get_type_depth(hwloc_topology_t topology, hwloc_obj_type_t type) {
  PURE_FORWARD(hwloc_get_type_depth, int{HWLOC_TYPE_DEPTH_UNKNOWN}, topology, type);
}
void hwloc_topology_destroy(hwloc_topology_t topology) {
  void* const library = library_of_hwloc();
  void* const function = library == nullptr ? nullptr : dlsym(library, "hwloc_topology_destroy");
  if (function != nullptr) reinterpret_cast<decltype(hwloc_topology_destroy)*>(function)(topology);
}
int hwloc_topology_init(hwloc_topology_t* topology) { PURE_FORWARD(hwloc_topology_init, -1, topology); }
int hwloc_topology_load(hwloc_topology_t topology) { PURE_FORWARD(hwloc_topology_load, -1, topology); }
int hwloc_topology_set_all_types_filter(hwloc_topology_t topology, hwloc_type_filter_e filter) {
  PURE_FORWARD(hwloc_topology_set_all_types_filter, -1, topology, filter);
}
int hwloc_topology_set_cache_types_filter(hwloc_topology_t topology, hwloc_type_filter_e filter) {
  PURE_FORWARD(hwloc_topology_set_cache_types_filter, -1, topology, filter);
}
int hwloc_topology_set_components(hwloc_topology_t topology, unsigned long flags, const char* name) {
  PURE_FORWARD(hwloc_topology_set_components, -1, topology, flags, name);
}
int hwloc_topology_set_synthetic(hwloc_topology_t topology, const char* description) {
  PURE_FORWARD(hwloc_topology_set_synthetic, -1, topology, description);
}
int hwloc_topology_set_type_filter(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_type_filter_e filter) {
  PURE_FORWARD(hwloc_topology_set_type_filter, -1, topology, type, filter);
}

}  // extern "C"

#undef PURE_FORWARD
