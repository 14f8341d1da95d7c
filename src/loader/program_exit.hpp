// How a rank's program ends: main returns, or somebody calls exit; first its handlers and destructors run, then the
// rank ends as any other (start/exit.cpp).
#pragma once

#include "loader/replacements.hpp"

namespace pure::core {

class rank_program;

/// What the rank's process would run at its end, with that status.
void run_end_of_program(rank_program& program, int status);

/// What its main thread would run at its own end, before other threads have ended: destructors of thread-local objects
/// and of values of keys.
void end_own_thread(rank_program& program);

/// The end of the program, and then of the rank, or the process of a thread that belongs to none.
[[noreturn]] void exit_program(int status);

/// err, error and their relatives, which print a message and call exit.
std::span<const replacement> error_replacements() noexcept;

/// exit, atexit and what belongs to them.
std::span<const replacement> exit_replacements() noexcept;

}  // namespace pure::core
