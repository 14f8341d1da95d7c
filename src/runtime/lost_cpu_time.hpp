// How often, and for how long, a thread has been without the cpu that it could have used: what strangers take from it.
#pragma once

#include <cstdint>

#include "base/guarded_descriptor.hpp"

namespace pure::core {

/// How long a thread could have run, and has waited for a cpu (proc(5), /proc/thread-self/schedstat). Own thread. Keeps
/// a file open from its first use on: a file that is opened each time would now and then have the number that another
/// rank has just closed, and expects to get again.
class lost_cpu_clock {
 public:
  /// Since the first instruction of the thread. 0 where the kernel does not count that, and what it was before if the
  /// program has closed the file. Two system calls.
  [[nodiscard]] std::int64_t ns() noexcept;

 private:
  guarded_descriptor file_;
  bool has_tried_ = false;
  std::int64_t last_ns_ = 0;
};

/// How often the kernel has taken the cpu from the calling thread: its involuntary context switches (getrusage(2)).
[[nodiscard]] std::uint64_t times_preempted() noexcept;

}  // namespace pure::core
