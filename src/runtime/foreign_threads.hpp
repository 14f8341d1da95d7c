// Threads of the process that the runtime has not started: a rank's own, the host program's, a library's.
//
// Their calls of Pure are refused, so that none ends a rank's wait today. But a program may count on them (one that
// watches, and calls exit(), say), and where there is one no hang ends a job: it is a warning (DESIGN D12).
#pragma once

namespace pure::core {

/// While it lives, the calling thread is not foreign: it runs a rank or helps, or waits for those that do.
class known_thread {
 public:
  known_thread() noexcept;
  known_thread(const known_thread&) = delete;
  known_thread& operator=(const known_thread&) = delete;
  ~known_thread();
};

/// How many there are. A thread that is just starting, or ending, may count as foreign for a moment; a foreign one is
/// never left out. At least 1 where the system does not say how many threads there are. Any thread.
int foreign_threads() noexcept;

}  // namespace pure::core
