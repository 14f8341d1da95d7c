// A hash of bytes, by which PURE_CHECK sees whether they are still the same: of buffers, of messages between processes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pure::core {

/// Equal bytes, equal hash.
[[nodiscard]] std::uint64_t content_of(const void* data, std::size_t bytes) noexcept;

/// Of 32 bits, and never 0, which may stand for none.
[[nodiscard]] inline std::uint32_t sum_of(const void* data, std::size_t bytes) noexcept {
  const std::uint64_t content = content_of(data, bytes);
  const auto folded = static_cast<std::uint32_t>(content ^ content >> 32);
  return folded == 0 ? 1 : folded;
}

}  // namespace pure::core
