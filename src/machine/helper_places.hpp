// Where helper threads run: on cores that have no rank.
//
// A helper is a thread of the job that has no rank: it executes chunks of tasks as a waiting rank does, and nothing
// else.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "machine/mapping.hpp"
#include "machine/topology.hpp"

namespace pure::core {

/// Throws pure::Error (argument) unless `asked`, as in PURE_HELPERS, is a number or "auto".
void check_helpers(std::string_view asked);

/// A place for each helper: the cores that have no rank, in their order, and of which no rank keeps the share; unbound
/// where ranks are unbound. "auto" takes
/// as many as there are, and no more than the processor time that the cgroup grants leaves over. Throws pure::Error
/// (argument) if there are fewer cores than helpers.
std::vector<rank_place> places_for_helpers(const topology& machine, std::span<const rank_place> ranks,
                                           std::string_view asked);

}  // namespace pure::core
