// The name of a window whose ranks are in several processes.
#pragma once

#include <cstdint>

namespace pure::core {

/// The process of its rank 0, and a number that this process gave it.
struct window_key {
  std::uint32_t process = 0;
  std::uint32_t number = 0;

  [[nodiscard]] std::uint64_t value() const noexcept { return std::uint64_t{process} << 32 | number; }
};

}  // namespace pure::core
