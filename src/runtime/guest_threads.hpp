// Guests: threads of the program that make calls for a rank whose own thread is another one (MPI_THREAD_SERIALIZED: one
// at a time, in an order that the program makes).
//
// From its first call until the rank has its end, or the thread, a guest has the rank as self(), as the rank's own
// thread has: so its calls cost no more. Where the two differ, is_guest() tells (runtime/rank.hpp): a guest may end
// (pthread_exit), and the rank goes on; it has no main that could return, and does not end the rank; its stack is
// another one.
#pragma once

#include "runtime/rank.hpp"

namespace pure::core {

/// The calling thread, which is none of the runtime's, is a guest of `host` now. Throws std::bad_alloc.
void become_guest(rank_context& host);

/// `host` has no guests any more. None of them is in a call.
void dismiss_guests(const rank_context& host) noexcept;

}  // namespace pure::core
