// The first thing that a program calls.
#pragma once

#include "loader/replacements.hpp"

namespace pure::core {

std::span<const replacement> start_replacements() noexcept;

}  // namespace pure::core
