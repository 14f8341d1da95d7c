#include "machine/topology.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "machine/cpu_quota.hpp"
#include "machine/hwloc_machine.hpp"

namespace pure::core {
namespace {

// Gives dense numbers, in the order in which things are met.
class numbering {
 public:
  int of(hwloc_obj_t object) { return numbers_.try_emplace(object, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::unordered_map<hwloc_obj_t, int> numbers_;
};

std::vector<hardware_thread> threads_of(hwloc_topology_t machine) {
  std::vector<hardware_thread> threads;
  std::unordered_map<int, int> siblings;
  numbering cores, nodes, packages;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != nullptr;) {
    // Virtual machines may show no cores or sockets: then each hardware thread is a core, and all are one socket.
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu);

    hardware_thread thread;
    thread.cpu = static_cast<int>(pu->os_index);
    thread.core = cores.of(core != nullptr ? core : pu);
    thread.sibling = siblings[thread.core]++;
    thread.numa = nodes.of(numa_node_of(machine, pu));
    thread.package = packages.of(package);
    threads.push_back(thread);
  }
  return threads;
}

// The affinity mask of the main thread: a rank, or a thread of an OpenMP program, may itself be bound already.
std::vector<int> affinity_mask() {
  std::vector<int> cpus;
  for (std::size_t limit = 1024; limit <= std::size_t{1} << 20; limit *= 4) {  // the kernel refuses too small a set
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(limit), [](cpu_set_t* s) { CPU_FREE(s); });
    if (!set) throw std::bad_alloc();
    const std::size_t bytes = CPU_ALLOC_SIZE(limit);
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(getpid(), bytes, set.get()) == 0) {
      for (std::size_t cpu = 0; cpu < limit; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
      }
      break;
    }
    if (errno != EINVAL) break;
  }
  return cpus;
}

void allow_only(std::vector<hardware_thread>& threads, std::span<const int> cpus) {
  for (hardware_thread& thread : threads) {
    thread.allowed = std::find(cpus.begin(), cpus.end(), thread.cpu) != cpus.end();
  }
}

bool any_allowed(const std::vector<hardware_thread>& threads) {
  return std::any_of(threads.begin(), threads.end(), [](const hardware_thread& t) { return t.allowed; });
}

std::vector<hardware_thread> threads_of_this_machine() {
  const std::vector<int> mask = affinity_mask();
  std::vector<hardware_thread> threads;
  if (const hwloc_machine machine = load_hwloc(nullptr, hwloc_objects::places)) threads = threads_of(machine.get());
  if (!mask.empty()) allow_only(threads, mask);
  if (!any_allowed(threads)) {
    // No hwloc, or it describes another machine (HWLOC_XMLFILE): every cpu of the mask is a core of one socket.
    threads.clear();
    for (const int cpu : mask) threads.push_back({.cpu = cpu, .core = static_cast<int>(threads.size())});
    if (threads.empty()) threads.push_back({});
  }
  return threads;
}

}  // namespace

const topology& topology::of_this_machine() {
  static const topology machine(threads_of_this_machine(), pure::core::cpu_quota());
  return machine;
}

topology topology::imagined(const std::string& description, std::span<const int> allowed_cpus,
                            std::optional<double> cpu_quota) {
  const hwloc_machine machine = load_hwloc(description.c_str(), hwloc_objects::places);
  if (!machine) throw Error(errc::argument, fmt::format("hwloc does not understand the machine \"{}\"", description));
  std::vector<hardware_thread> threads = threads_of(machine.get());
  if (!allowed_cpus.empty()) allow_only(threads, allowed_cpus);
  if (!any_allowed(threads)) throw Error(errc::argument, "an imagined machine needs an allowed cpu");
  return {std::move(threads), cpu_quota};
}

topology topology::restricted_to(std::span<const int> cpus) const {
  std::vector<hardware_thread> threads = threads_;
  for (hardware_thread& each : threads) {
    each.allowed = each.allowed && std::find(cpus.begin(), cpus.end(), each.cpu) != cpus.end();
  }
  return {std::move(threads), cpu_quota_};
}

topology::topology(std::vector<hardware_thread> threads, std::optional<double> cpu_quota)
    : threads_(std::move(threads)), cpu_quota_(cpu_quota) {
  int last_allowed_core = -1;  // threads_ is ordered by core
  for (std::size_t index = 0; index < threads_.size(); ++index) {
    const hardware_thread& thread = threads_[index];
    const auto cpu = static_cast<std::size_t>(thread.cpu);
    if (index_of_cpu_.size() <= cpu) index_of_cpu_.resize(cpu + 1, -1);
    index_of_cpu_[cpu] = static_cast<int>(index);
    cores_ = std::max(cores_, thread.core + 1);
    numa_nodes_ = std::max(numa_nodes_, thread.numa + 1);
    packages_ = std::max(packages_, thread.package + 1);
    if (!thread.allowed) continue;
    allowed_cpus_.push_back(thread.cpu);
    if (thread.core != last_allowed_core) ++allowed_cores_;
    last_allowed_core = thread.core;
  }
  std::sort(allowed_cpus_.begin(), allowed_cpus_.end());
}

const hardware_thread* topology::find(int cpu) const noexcept {
  if (cpu < 0 || static_cast<std::size_t>(cpu) >= index_of_cpu_.size()) return nullptr;
  const int index = index_of_cpu_[static_cast<std::size_t>(cpu)];
  return index < 0 ? nullptr : &threads_[static_cast<std::size_t>(index)];
}

int topology::default_ranks() const noexcept {
  if (!cpu_quota_ || *cpu_quota_ >= allowed_cores_) return allowed_cores_;
  return std::max(1, static_cast<int>(std::ceil(*cpu_quota_)));
}

std::string hwloc_version_text() {
  // The version of the interface (hwloc_get_api_version) does not tell 2.8 from 2.9; a topology does.
  const hwloc_machine machine = load_hwloc("pu:1", hwloc_objects::places);
  const char* const version = machine ? hwloc_obj_get_info_by_name(hwloc_get_root_obj(machine.get()), "hwlocVersion")
                                      : nullptr;
  return version != nullptr ? version : "unknown";
}

}  // namespace pure::core
