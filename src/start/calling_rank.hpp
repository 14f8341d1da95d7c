// The rank that the program itself begins and ends: the calling thread, one in each process (pure_init; MPI 4.1, 11.2).
// What it is, and what ends it, says start/adopted_rank.hpp; here is the one of this process.
#pragma once

#include "base/call.hpp"
#include "runtime/job.hpp"
#include "start/launch_plan.hpp"

namespace pure::core {

/// Makes the calling thread a rank, together with all processes that were started with this one; blocks until they all
/// have called it. Throws pure::Error: the caller is a rank, another thread of this process has begun one, more ranks
/// are asked for than there are processes, and what adopted_rank throws.
void begin_calling_rank(const call& by, failure_action action);

/// Ends it, and waits for the ends of all others. `status`: what its main would return. Throws pure::Error: the caller
/// is not that rank.
outcome end_calling_rank(const call& by, int status);

/// Whether there has been a begin, and whether the latest one has ended. Any thread.
[[nodiscard]] bool has_calling_rank_begun() noexcept;
[[nodiscard]] bool has_calling_rank_ended() noexcept;

}  // namespace pure::core
