// Stack traces of the threads of ranks, by any thread, while they compute or sleep.
//
// Each thread is sent a real-time signal, whose handler calls backtrace() and leaves the addresses in the rank's slot.
// The signal is the highest that the program has not taken, found anew each time; the handler stays installed, for a
// signal that comes late would kill the process otherwise. A call of the program that the signal interrupts goes on
// (SA_RESTART), except for those that never do: sleeps and polls return early, as for any signal (signal(7)). A thread
// that blocks the signal, or gets no processor time, has no trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/stack_slot.hpp"

namespace pure::core {

/// While it lives, the calling thread answers through `slot`. It runs a rank, or a chunk on a rank's thread.
class traced_thread {
 public:
  explicit traced_thread(stack_slot& slot) noexcept;
  traced_thread(const traced_thread&) = delete;
  traced_thread& operator=(const traced_thread&) = delete;
  ~traced_thread();

 private:
  stack_slot& slot_;
};

/// Return addresses, innermost first, without those of the handler; empty: unknown.
using stack_trace = std::vector<void*>;

/// The traces of these threads, in this order. Takes `most_ns` after the last answer if a thread does not answer. Any
/// thread; one at a time, others wait for their turn.
std::vector<stack_trace> collect_stacks(std::span<stack_slot* const> of, std::int64_t most_ns = 1'500'000'000);

}  // namespace pure::core
