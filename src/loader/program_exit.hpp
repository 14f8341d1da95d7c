// How a rank's program ends: main returns, or somebody calls exit; first its handlers and destructors run, then the
// rank ends as any other (start/exit.cpp).
#pragma once

#include "loader/replacements.hpp"

namespace pure::core {

class rank_program;

/// What the rank's process would run at its end, with that status.
void run_end_of_program(rank_program& program, int status);

/// exit, atexit and what belongs to them.
std::span<const replacement> exit_replacements() noexcept;

}  // namespace pure::core
