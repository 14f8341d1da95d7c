// A mapping as a picture in text, for --report-bindings and `pure info`:
//
//   4 ranks on 4 of 8 cores, mapped by core (B: bound here, =: its threads)
//   rank 0  socket 0  numa 0  core 0  cpu 0  threads 0-1  [B=..|....]
//
// A bracket is a socket, a bar parts its NUMA nodes, a character is a core: B bound here, = of the rank's share, .
// other,
// - not allowed.
// Neighbouring ranks in the same place share a line. Lines have 78 columns at most: where the whole machine is too
// wide, only the rank's socket or NUMA node is drawn, or nothing, and long lists go on below. Pure functions; any
// thread may call them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "machine/mapping.hpp"
#include "machine/topology.hpp"

namespace pure::core {

/// Whole lines. `map_by` is what the user asked for. The helpers' places follow those of the ranks. `numbers`: of the
/// ranks, in the order of their places; none: from 0.
std::string bindings_picture(const topology& machine, std::span<const rank_place> places, std::string_view map_by,
                             std::span<const rank_place> helpers = {}, std::span<const int> numbers = {});

/// The machine in one line: "1 socket, 2 NUMA nodes, 8 cores, 16 hardware threads".
std::string machine_text(const topology& machine);

}  // namespace pure::core
