// What the ranks of a comm made by comm::split_type share.
//
//     auto here = world.split_type(pure::split_by::machine);
//     auto cache = world.split_type(pure::split_by::hardware("hwloc://L3Cache"));
//
// MPI 4.1, 7.4.2; the names of hardware are hwloc's.
#pragma once

#include <string>
#include <string_view>

namespace pure {

class comm;

class split_by {
 public:
  static const split_by machine;  ///< one machine, whose memory they can share: as shared windows need it
  static const split_by process;  ///< one process: its ranks see each other's memory
  static const split_by numa;     ///< the NUMA node of the core to which they are bound
  static const split_by core;     ///< the core to which they are bound
  static const split_by l3;       ///< the L3 cache of that core
  static const split_by socket;   ///< its socket

  /// A kind of hardware: "hwloc://NUMANode", "hwloc://L3Cache", "hwloc://Package", "hwloc://Die", "hwloc://Core",
  /// "hwloc://PU"..., or "mpi_shared_memory". Nobody gets a comm for a kind that is not known, or not there.
  static constexpr split_by hardware(std::string_view type) noexcept { return split_by(7, type); }
  /// The kind of hardware that makes the fewest parts, but more than one: so that a split of each part goes one level
  /// down. A comm of one rank has none. `found`, if it is not null, gets the kind's name.
  static constexpr split_by next_level(std::string* found = nullptr) noexcept { return split_by(8, {}, found); }
  /// "mpi://WORLD" or "mpi://SELF"; for others nobody gets a comm.
  static constexpr split_by process_set(std::string_view name) noexcept { return split_by(9, name); }

 private:
  friend comm;

  constexpr explicit split_by(int type, std::string_view name = {}, std::string* found = nullptr) noexcept
      : type_(type), name_(name), found_(found) {}

  int type_;  // a pure_split_type of pure.h
  std::string_view name_;
  std::string* found_;
};

inline constexpr split_by split_by::machine{1};
inline constexpr split_by split_by::process{2};
inline constexpr split_by split_by::numa{3};
inline constexpr split_by split_by::core{4};
inline constexpr split_by split_by::l3{5};
inline constexpr split_by split_by::socket{6};

}  // namespace pure
