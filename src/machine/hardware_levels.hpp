// The parts of a machine that its ranks may share, by the names that hwloc has for them: caches, sockets, NUMA nodes...
// (MPI 4.1, 7.4.2, wants such names for MPI_COMM_TYPE_HW_GUIDED).
//
// Plain data, fixed once it is made. of_this_machine() asks hwloc at its first call, for more than a job needs to start
// (topology.hpp); any thread may call it. An object is known by a number of the kernel's, of its first cpu or of its
// NUMA node: the same in all processes of a machine, also if these may use different cpus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/topology.hpp"

namespace pure::core {

/// From large to small, on most machines.
enum class hardware_kind : std::uint8_t { machine, package, numa, die, l5, l4, l3, l2, l1, core, thread };

inline constexpr std::size_t hardware_kinds = static_cast<std::size_t>(hardware_kind::thread) + 1;

/// "hwloc://L3Cache".
std::string hardware_name(hardware_kind kind);
/// By such a name, or by hwloc's alone ("L3Cache", as MPI 4.0 has it), or as other MPIs call it ("socket"), in any
/// case; or none.
std::optional<hardware_kind> hardware_kind_of(std::string_view name) noexcept;

class hardware_levels {
 public:
  static constexpr int none = -1;

  /// One object of a kind.
  struct object {
    int number = none;  // the kernel's, of its first cpu or of its NUMA node; unique among those of its kind
    int index = none;   // hwloc's logical index

    friend bool operator==(const object& a, const object& b) noexcept { return a.number == b.number; }
  };

  static const hardware_levels& of_this_machine();
  /// A machine that does not exist, in hwloc's words: "pack:2 l3:2 core:4 pu:2". Throws pure::Error.
  static hardware_levels imagined(const std::string& description);
  /// What a topology says: sockets, NUMA nodes, cores and hardware threads, and no caches.
  explicit hardware_levels(const topology& machine);

  /// The only object of that kind to which all these cpus belong; none: there are several, or none.
  [[nodiscard]] object common(hardware_kind kind, std::span<const int> cpus) const noexcept;

 private:
  using objects_of_cpu = std::array<object, hardware_kinds>;

  hardware_levels() = default;
  [[nodiscard]] objects_of_cpu& at(int cpu);

  std::vector<objects_of_cpu> of_cpus_;  // by the kernel's number
};

}  // namespace pure::core
