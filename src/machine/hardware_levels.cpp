#include "machine/hardware_levels.hpp"

#include <fmt/core.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include <pure/error.hpp>

#include "machine/hwloc_machine.hpp"

namespace pure::core {

namespace {

struct kind_of_object {
  hwloc_obj_type_t type;
  const char* name;  // what hwloc_obj_type_string() says
};

constexpr std::array<kind_of_object, hardware_kinds> kinds{{{HWLOC_OBJ_MACHINE, "Machine"},
                                                            {HWLOC_OBJ_PACKAGE, "Package"},
                                                            {HWLOC_OBJ_NUMANODE, "NUMANode"},
                                                            {HWLOC_OBJ_DIE, "Die"},
                                                            {HWLOC_OBJ_L5CACHE, "L5Cache"},
                                                            {HWLOC_OBJ_L4CACHE, "L4Cache"},
                                                            {HWLOC_OBJ_L3CACHE, "L3Cache"},
                                                            {HWLOC_OBJ_L2CACHE, "L2Cache"},
                                                            {HWLOC_OBJ_L1CACHE, "L1Cache"},
                                                            {HWLOC_OBJ_CORE, "Core"},
                                                            {HWLOC_OBJ_PU, "PU"}}};

constexpr std::string_view scheme = "hwloc://";

/// Names that hwloc reads as well, and other MPIs have.
constexpr std::pair<const char*, hardware_kind> other_names[] = {
    {"socket", hardware_kind::package}, {"numa", hardware_kind::numa}, {"hwthread", hardware_kind::thread}};

bool is_same_name(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

hwloc_obj_t object_around(hwloc_topology_t machine, hwloc_obj_t thread, hwloc_obj_type_t type) noexcept {
  if (type == HWLOC_OBJ_PU) return thread;
  if (type == HWLOC_OBJ_NUMANODE) return numa_node_of(machine, thread);
  return hwloc_get_ancestor_obj_by_type(machine, type, thread);
}

hardware_levels::object described(hwloc_obj_t found) noexcept {
  const int first_cpu = hwloc_bitmap_first(found->complete_cpuset);
  return {found->type == HWLOC_OBJ_NUMANODE ? static_cast<int>(found->os_index) : first_cpu,
          static_cast<int>(found->logical_index)};
}

}  // namespace

std::string hardware_name(hardware_kind kind) {
  return std::string(scheme) + kinds[static_cast<std::size_t>(kind)].name;
}

std::optional<hardware_kind> hardware_kind_of(std::string_view name) noexcept {
  if (is_same_name(name.substr(0, scheme.size()), scheme)) name.remove_prefix(scheme.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (is_same_name(name, kinds[i].name)) return static_cast<hardware_kind>(i);
  }
  for (const auto& [other, kind] : other_names) {
    if (is_same_name(name, other)) return kind;
  }
  return std::nullopt;
}

hardware_levels::objects_of_cpu& hardware_levels::at(int cpu) {
  const auto index = static_cast<std::size_t>(cpu);
  if (of_cpus_.size() <= index) of_cpus_.resize(index + 1);
  return of_cpus_[index];
}

hardware_levels::hardware_levels(const topology& machine) {
  const auto threads = machine.hardware_threads();
  const auto number = [&](hardware_kind kind, int cpu, int index, int hardware_thread::*its) {
    const auto first = std::find_if(threads.begin(), threads.end(),
                                    [&](const hardware_thread& each) { return each.*its == index; });
    at(cpu)[static_cast<std::size_t>(kind)] = {first->cpu, index};
  };
  for (const hardware_thread& each : threads) {
    at(each.cpu)[static_cast<std::size_t>(hardware_kind::machine)] = {0, 0};
    at(each.cpu)[static_cast<std::size_t>(hardware_kind::thread)] = {each.cpu, each.cpu};
    number(hardware_kind::package, each.cpu, each.package, &hardware_thread::package);
    number(hardware_kind::numa, each.cpu, each.numa, &hardware_thread::numa);
    number(hardware_kind::core, each.cpu, each.core, &hardware_thread::core);
  }
}

namespace {

/// What hwloc says of each hardware thread; use(cpu, kind, object).
template <class Use>
void for_each_object(hwloc_topology_t machine, Use use) {
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != nullptr;) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const hwloc_obj_t found = object_around(machine, pu, kinds[i].type);
      if (found != nullptr) use(static_cast<int>(pu->os_index), i, described(found));
    }
  }
}

}  // namespace

hardware_levels hardware_levels::imagined(const std::string& description) {
  const hwloc_machine machine = load_hwloc(description.c_str(), hwloc_objects::all);
  if (!machine) throw Error(errc::argument, fmt::format("hwloc does not understand the machine \"{}\"", description));
  hardware_levels made;
  for_each_object(machine.get(), [&](int cpu, std::size_t kind, object found) { made.at(cpu)[kind] = found; });
  return made;
}

const hardware_levels& hardware_levels::of_this_machine() {
  static const hardware_levels machine = [] {
    // Virtual machines may show no cores or sockets, and hwloc may fail or describe another machine: what the ranks
    // were placed by is there in any case. On top of it, what hwloc says.
    const topology& placed_by = topology::of_this_machine();
    hardware_levels made(placed_by);
    if (const hwloc_machine found = load_hwloc(nullptr, hwloc_objects::all)) {
      for_each_object(found.get(), [&](int cpu, std::size_t kind, object its) {
        if (placed_by.find(cpu) != nullptr) made.at(cpu)[kind] = its;
      });
    }
    return made;
  }();
  return machine;
}

hardware_levels::object hardware_levels::common(hardware_kind kind, std::span<const int> cpus) const noexcept {
  object found;
  for (const int cpu : cpus) {
    if (cpu < 0 || static_cast<std::size_t>(cpu) >= of_cpus_.size()) return {};
    const object its = of_cpus_[static_cast<std::size_t>(cpu)][static_cast<std::size_t>(kind)];
    if (its.number == none || (found.number != none && its.number != found.number)) return {};
    found = its;
  }
  return found;
}

}  // namespace pure::core
