// The texts about ranks that wait: of a deadlock, and of a job that runs. `stacks` are of the ranks that there are;
// each text takes those of the ranks that it is about. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hang/rank_state.hpp"
#include "hang/stack_text.hpp"
#include "runtime/job.hpp"

namespace pure::core {

/// Of these ranks, which are in this process; takes half a second if a thread does not answer.
std::vector<stack_lines> stacks_of(job& all, std::span<const int> ranks);
/// Of those that compute or wait here.
std::vector<stack_lines> stacks_of(job& all, std::span<const rank_state> ranks);

/// Every live rank waits.
std::string report_of_deadlock(std::span<const rank_state> ranks, std::span<const stack_lines> stacks);

/// The ranks `stuck` wait for ever, others do not: see stuck_for_ever().
std::string report_of_stuck_ranks(std::span<const rank_state> ranks, std::span<const int> stuck,
                                  std::span<const stack_lines> stacks);

/// What each rank does, waits with their durations, and all stacks.
std::string table_of_ranks(std::span<const rank_state> ranks, std::span<const stack_lines> stacks);

/// Why a hang does not end the job, and what would, or will. `ends_s`: PURE_HANG_ENDS.
std::string text_of_foreign(int threads, int ends_s);
/// The last line of the report of a hang that ends the job by PURE_HANG_ENDS.
std::string text_of_end(int threads, int ends_s);

/// The first lines of a warning of waits: why, and when the next one comes.
std::string text_of_warning(std::string_view why, std::int64_t next_s);

}  // namespace pure::core
