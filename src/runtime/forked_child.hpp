// Children of a process that runs ranks: fork, vfork, clone and what is made of them copy the calling thread alone. The
// child is nobody's rank: the functions that end a process are libc's there, and calls of Pure are errors that say so.
//
// After fork() the child knows at once: its thread has no rank any more, so what every call tests anyhow refuses it. A
// child of vfork() has the memory of its parent, and one of _Fork() or of a bare clone is told nothing: only functions
// that end a process may be called there, and these compare process ids. They change no state.
#pragma once

#include <string>

namespace pure::core {

/// Ranks are about to run in this process; from then on it is told of its forks. Any thread.
void ranks_run_in_this_process();

/// True in a child of the process whose ranks run, or have run last, however it was made. A system call: not for a
/// message's way. Changes nothing. Any thread, signal handlers too.
bool is_forked_child() noexcept;

/// Who has called fork() to make this process, if a rank or a helper has.
struct forking_worker {
  bool is_known = false;
  bool is_helper = false;
  int number = 0;  // among the ranks, or the helpers
};
/// Nobody in a process that is no child. Any thread, signal handlers too.
forking_worker who_has_forked() noexcept;

/// For the next only: written before the child has a second thread.
extern constinit bool forked_from_worker;
/// True in a child that a rank or a helper has made by fork(). A load.
inline bool is_forked_from_worker() noexcept { return forked_from_worker; }

/// "process 1234 is a forked child of rank 0, and itself no rank: ...": for an error, after the name of the call.
std::string forked_child_text();

/// In a child: prints what was wrong, and ends it. What its parent has buffered is not printed twice.
[[noreturn]] void end_forked_child(const std::string& text, int status) noexcept;

}  // namespace pure::core
