// Which rank runs on the calling thread.
//
// self() tells which rank is running, rank_in_chunk() on which rank's thread a chunk of a task runs (DESIGN D1). Each
// thread's own; another one changes them only where that thread is in no call (calls_of_rank::dismiss_guests).
#pragma once

namespace pure::core {

class rank_context;

/// The rank that runs on this thread, or null outside a rank, and inside a chunk of a task.
extern constinit thread_local rank_context* current_rank;
/// The rank whose thread runs a chunk, its own or a stolen one; null outside chunks.
extern constinit thread_local rank_context* current_chunk_rank;
/// For is_guest().
extern constinit thread_local bool is_guest_thread;

inline rank_context* self() noexcept { return current_rank; }
inline rank_context* rank_in_chunk() noexcept { return current_chunk_rank; }
/// The rank of this thread, in a chunk or not.
inline rank_context* rank_of_thread() noexcept { return current_rank != nullptr ? current_rank : current_chunk_rank; }

/// Whether the calling thread has been a rank's guest (calls_of_rank.hpp), and has not become a rank since.
[[nodiscard]] inline bool is_guest() noexcept { return is_guest_thread; }
/// Whether the calling thread is that rank's own, outside of tasks.
[[nodiscard]] inline bool is_own_thread_of(const rank_context& rank) noexcept { return self() == &rank && !is_guest(); }

}  // namespace pure::core
