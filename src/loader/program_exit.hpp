// How a rank's program ends: main returns, or somebody calls exit; first its handlers and destructors run, then the
// rank ends as any other (start/exit.cpp).
#pragma once

#include "libc/replacements.hpp"

namespace pure::core {

/// exit, atexit and what belongs to them.
std::span<const replacement> exit_replacements() noexcept;

}  // namespace pure::core
