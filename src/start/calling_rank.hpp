// The rank that the program itself begins and ends: the calling thread, one in each process (pure_init; MPI 4.1, 11.2).
// What it is, and what ends it, says start/adopted_rank.hpp; here is the one of this process.
//
// Where the ranks are threads that run the program's main (an MPI program, `purerun --ranks-as threads`), each runs it
// outside of its rank before its begin and after its end: calls of Pure are errors there, as they are in processes.
//
// Other threads of the program may make calls for the rank, one at a time: they become its guests
// (runtime/calls_of_rank.hpp). In a process of one rank all threads may; where ranks are threads, those that the rank's
// thread has made, and those that they have. There one of these may also begin, and end, the rank: it is a guest, while
// the rank's own thread, which has main to return from, stays outside until it calls.
#pragma once

#include "base/call.hpp"
#include "runtime/job.hpp"
#include "start/launch_plan.hpp"

namespace pure::core {

/// Makes the calling thread a rank, together with all processes that were started with this one; blocks until they all
/// have called it. Throws pure::Error: the caller is a rank, another thread of this process has begun one, more ranks
/// are asked for than there are processes, and what adopted_rank throws.
void begin_calling_rank(const call& by, failure_action action);

/// Ends it, and waits for the ends of all others. `status`: what its main would return. What PURE_CHECK finds left
/// behind makes the exit status of the process 1 where it would be 0. Throws pure::Error: the caller is not that rank's
/// own thread.
outcome end_calling_rank(const call& by, int status);

/// From now on ranks run the program's main, and each calls begin and end. Before there are ranks.
void ranks_begin_in_main() noexcept;
/// Whether that has been called.
[[nodiscard]] bool do_ranks_begin_in_main() noexcept;

/// The calling rank, of those, is about to run main: outside of its rank.
void main_of_rank_begins(rank_context& rank);

/// Whether the calling rank, of those, has called begin, and not end: its main must not return so.
[[nodiscard]] bool is_between_begin_and_end() noexcept;

/// The main of the calling rank, of those, has ended. Its own thread; nothing where ranks do not run main.
void main_of_rank_has_ended() noexcept;
/// Whether the calling thread belongs to a rank whose main has ended, and is not that rank's own: as a process, the
/// rank would have ended it.
[[nodiscard]] bool has_outlived_its_rank() noexcept;

/// The rank to which the calling thread belongs, which another thread has begun, and not ended. Null: there is none, or
/// the calling thread has entered it already. Any thread.
[[nodiscard]] rank_context* rank_of_other_thread() noexcept;
/// The calling thread may call for that rank from now on: a guest, or the rank's own thread, where a guest has begun.
/// Throws std::bad_alloc.
void enter_begun_rank();

/// Whether the calling thread has begun the rank to which it belongs: it alone ends it. The rank is there.
[[nodiscard]] bool is_main_thread_of_calling_rank() noexcept;

/// To which rank, of those that run the program's main, the calling thread belongs: for the threads that it makes.
/// Opaque; lasts as long as the process. Null: to none, or ranks do not run main.
struct rank_in_main;
[[nodiscard]] rank_in_main* belongs_to() noexcept;
void belong_to(rank_in_main* whose) noexcept;

/// Threads that belong to a rank: from before they begin until the last of what they do at their end.
void add_thread_to(rank_in_main& whose) noexcept;
void remove_thread_from(rank_in_main& whose) noexcept;
/// Until those of the calling rank have ended: the end of a process whose main thread has called pthread_exit.
void wait_for_threads_of_rank() noexcept;

/// Whether there has been a begin, and whether the latest one has ended: of the rank to which the calling thread
/// belongs; of a thread that belongs to none: of all ranks of the process. Any thread.
[[nodiscard]] bool has_calling_rank_begun() noexcept;
[[nodiscard]] bool has_calling_rank_ended() noexcept;

/// For a process that was such a rank and ends with `status`: 1, and a line that says so, if its parent would see 0 of
/// what is not 0 (256). Any thread.
[[nodiscard]] int status_for_parent(int status);

}  // namespace pure::core
