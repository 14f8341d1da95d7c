// Monotonic time in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace pure::core {

inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace pure::core
