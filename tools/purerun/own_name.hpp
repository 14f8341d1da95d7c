// Whether this machine can look up its own name. A bare container or chroot without a line in /etc/hosts cannot, and
// asks servers that may not answer: an MPI looks the name up when it starts, several times, and seems to hang.
#pragma once

namespace purerun {

/// How long a look-up may take before it counts as one that is in vain.
inline constexpr int longest_lookup_ms = 1000;

/// Begins to look it up, on a thread of its own, and says by a warning on stderr if that is in vain, or takes long.
/// Nobody waits for that thread: the job starts meanwhile, and may end before.
void watch_own_name() noexcept;

}  // namespace purerun
