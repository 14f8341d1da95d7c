// The rank that the program itself begins and ends: the calling thread, one in each process (pure_init; MPI 4.1, 11.2).
// What it is, and what ends it, says start/adopted_rank.hpp; here is the one of this process.
//
// Where the ranks are threads that run the program's main (an MPI program, `purerun --ranks-as threads`), each is a
// rank before its begin and after its end, which say only that it has come so far.
#pragma once

#include "base/call.hpp"
#include "runtime/job.hpp"
#include "start/launch_plan.hpp"

namespace pure::core {

/// Makes the calling thread a rank, together with all processes that were started with this one; blocks until they all
/// have called it. Throws pure::Error: the caller is a rank, another thread of this process has begun one, more ranks
/// are asked for than there are processes, and what adopted_rank throws.
void begin_calling_rank(const call& by, failure_action action);

/// Ends it, and waits for the ends of all others. `status`: what its main would return. What PURE_CHECK finds left behind
/// makes the exit status of the process 1 where it would be 0. Throws pure::Error: the caller is not that rank.
outcome end_calling_rank(const call& by, int status);

/// From now on ranks run the program's main, and each calls begin and end. Before there are ranks.
void ranks_begin_in_main() noexcept;

/// Whether the calling rank, of those, has called begin, and not end: its main must not return so.
[[nodiscard]] bool is_between_begin_and_end() noexcept;

/// Whether there has been a begin, and whether the latest one has ended. Any thread; a rank that runs the program's
/// main: its own.
[[nodiscard]] bool has_calling_rank_begun() noexcept;
[[nodiscard]] bool has_calling_rank_ended() noexcept;

}  // namespace pure::core
