// Child processes, and which rank has started each: to the kernel they are all the process's.
//
// Any thread, in signal handlers as well: a table without locks, of so many children at a time that more are nobody's
// (then all ranks are told of their ends).
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstddef>

namespace pure::core {

struct hidden_state;

/// Around the start of a child: its end may be told before the rank knows its number. `process`: 0 or less for none.
class starting_child {
 public:
  starting_child() noexcept;
  starting_child(const starting_child&) = delete;
  starting_child& operator=(const starting_child&) = delete;
  ~starting_child();
  void note_made(pid_t process) noexcept;
};

/// For a signal handler: keeps the end of a child that nobody knows, for one is being started. True: it will be told by
/// tell_end_of_child() when that has been done.
bool keep_for_start(const siginfo_t& end) noexcept;

/// By signal_actions.cpp: to the rank, or, null, to all.
void tell_end_of_child(hidden_state* rank, const siginfo_t& end) noexcept;

/// The child has been waited for. If nobody has told its rank of its end (SIGCHLD), that is done: a signal of several
/// ends may be one. The table knows whose it was for a while, as the signal may come later.
void note_reaped(pid_t process, int status) noexcept;

/// Nobody can wait for it any more.
bool has_been_reaped(pid_t process) noexcept;

/// Whose child it is, or was; null: not known.
hidden_state* rank_of_child(pid_t process) noexcept;

/// True: the caller tells the rank of the end of that child, and nobody else does.
bool claim_telling(pid_t process) noexcept;

/// Of the calling rank, started by another thread than this one, and not yet waited for: as many as there is room for
/// in `found`. Gives their number.
std::size_t children_of_other_threads(pid_t* found, std::size_t room) noexcept;

/// The end of the next child after `place` that has ended, and nobody has been told of. False: there is none. `place`
/// begins with 0.
bool next_untold_end(std::size_t& place, hidden_state*& rank, siginfo_t& end) noexcept;

}  // namespace pure::core
