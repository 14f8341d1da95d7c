// A crash names its rank: signal handlers for the fatal signals while ranks run.
//
// They print the rank, the signal, the address and a backtrace, once, and let the signal kill the process as it would
// have (core file and status included). A program or sanitizer that has its own handler for a signal keeps it.
#pragma once

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

/// A stack of its own for the signal handlers of the calling rank's thread, so that a stack overflow can be reported.
class crash_stack {
 public:
  explicit crash_stack(rank_context& self);
  crash_stack(const crash_stack&) = delete;
  crash_stack& operator=(const crash_stack&) = delete;
  ~crash_stack();

 private:
  static constexpr std::size_t bytes = 64 * 1024;
  void* memory_;
};

}  // namespace pure::core
