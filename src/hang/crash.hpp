// A crash names its rank: signal handlers for the fatal signals while ranks run.
//
// They print the rank, the signal, the address and a backtrace, once, and let the signal kill the process as it would
// have (core file and status included). A program or sanitizer that has its own handler for a signal keeps it. One of a
// library that Pure opens (UCX, under MPICH) knows nothing of ranks: it comes after ours.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

#include "runtime/rank.hpp"

namespace pure::core {

/// Installs the handlers while at least one object exists. Any thread.
class crash_reports {
 public:
  crash_reports();
  crash_reports(const crash_reports&) = delete;
  crash_reports& operator=(const crash_reports&) = delete;
  ~crash_reports();
};

/// Prints the stack of a rank that has crashed and waits for that, with names; usually there is none. By the thread
/// that waits for the ranks, whenever somebody wakes it.
void explain_crash() noexcept;

/// A thread for which is_one() holds does not end the process by a crash: it stays where it is. Before there are ranks.
void left_over_threads_are_known_by(bool (*is_one)()) noexcept;

/// Handlers that are installed while it lives are those of a library that Pure itself opens: crash_reports are made
/// over them, and pass on to them. What the program had installed before is put back. Before the ranks start.
class library_crash_handlers {
 public:
  library_crash_handlers() noexcept;
  library_crash_handlers(const library_crash_handlers&) = delete;
  library_crash_handlers& operator=(const library_crash_handlers&) = delete;
  ~library_crash_handlers();

 private:
  static constexpr std::size_t signals = 5;
  std::array<struct sigaction, signals> before_;
};

/// A stack of its own for the signal handlers of the calling rank's thread, so that a stack overflow can be reported.
/// When it ends, the thread has the one that it had before, if any.
class crash_stack {
 public:
  explicit crash_stack(rank_context& self);
  crash_stack(const crash_stack&) = delete;
  crash_stack& operator=(const crash_stack&) = delete;
  ~crash_stack();

 private:
  static constexpr std::size_t bytes = 64 * 1024;
  void* memory_;
  stack_t before_{};
};

}  // namespace pure::core
