// The texts about ranks that wait: of a deadlock, and of a job that runs. Each takes the stack traces of the ranks that
// it is about. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/job.hpp"
#include "runtime/rank_state.hpp"

namespace pure::core {

/// Every live rank waits.
std::string report_of_deadlock(job& all, std::span<const rank_state> ranks);

/// The ranks `stuck` wait for ever, others do not: see stuck_for_ever().
std::string report_of_stuck_ranks(job& all, std::span<const rank_state> ranks, std::span<const int> stuck);

/// What each rank does, waits with their durations, and all stacks.
std::string table_of_ranks(job& all, std::span<const rank_state> ranks);

}  // namespace pure::core
