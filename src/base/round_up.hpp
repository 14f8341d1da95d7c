// Sizes in whole units: lines, pages, shares. Any thread.
#pragma once

#include <cstddef>

namespace pure::core {

/// The smallest multiple of `unit` that is not less than `value`.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace pure::core
