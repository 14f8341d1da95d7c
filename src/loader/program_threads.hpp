// The functions that make threads, and what threads keep (pthread_key_create), for a rank's program.
#pragma once

#include "libc/replacements.hpp"

namespace pure::core {

std::span<const replacement> thread_replacements() noexcept;

/// Calls the destructors of the program's keys for what the calling thread keeps with them, as libc does at its end.
void end_thread_values();

/// The thread that ran a rank's main has nothing left of the program's keys: no destructor is called for it, as none is
/// at the end of a process. Its own thread, last of all.
void forget_thread_values() noexcept;

}  // namespace pure::core
