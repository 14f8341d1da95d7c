// How often, and for how long, a thread has been without the cpu that it could have used: what strangers take from it.
#pragma once

#include <cstdint>

namespace pure::core {

/// How long the calling thread could have run, and has waited for a cpu, since its first instruction, in ns (proc(5),
/// /proc/thread-self/schedstat). 0 where the kernel does not count that. Three system calls, for a file that is short.
[[nodiscard]] std::int64_t lost_cpu_ns() noexcept;

/// How often the kernel has taken the cpu from the calling thread: its involuntary context switches (getrusage(2)).
[[nodiscard]] std::uint64_t times_preempted() noexcept;

}  // namespace pure::core
