// The functions that make threads, for a rank's program.
#pragma once

#include "loader/replacements.hpp"

namespace pure::core {

std::span<const replacement> thread_replacements() noexcept;

}  // namespace pure::core
