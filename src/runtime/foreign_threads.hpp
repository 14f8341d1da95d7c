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

/// Threads that start while it lives, and have not ended when it ends, are those of a library that Pure itself has
/// opened (a network): they are not foreign, and stay. One that the program starts at the same time is taken for one of
/// them.
class library_threads {
 public:
  library_threads() noexcept;
  library_threads(const library_threads&) = delete;
  library_threads& operator=(const library_threads&) = delete;
  ~library_threads();

 private:
  const int before_;
};

/// In a child of fork(), which has none of the known threads of its parent. By its only thread.
void threads_were_left_behind() noexcept;

/// How many there are; without /proc, whether there is one, which takes about a second. A thread that is just starting,
/// or ending, may count as foreign for a moment; a foreign one is not left out. Any thread.
int foreign_threads() noexcept;

}  // namespace pure::core
