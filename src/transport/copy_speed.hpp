// How fast this machine copies lines that are in the caches of who copies: what a copy that fetches them from another
// core is told from.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

namespace pure::core {

struct copy_speed {
  /// Copies of up to 4, 8, 16, ... 512 KB: nanoseconds for a line.
  static constexpr std::size_t sizes = 8;
  static constexpr std::size_t first_bytes = 4096;
  std::array<double, sizes> own_line_ns;

  /// A copy whose lines took so many times as long has fetched them. Lines of another core take 2.5 times as long as
  /// own ones at least, 1.6 times where these do not fit the nearest cache either (D-fresh-line); the clock counts in
  /// both.
  static constexpr double fetched = 1.7, fetched_of_long = 1.3;
  static constexpr std::size_t long_bytes = 32 * 1024;

  [[nodiscard]] double fetched_line_ns(std::size_t bytes) const noexcept {
    return (bytes < long_bytes ? fetched : fetched_of_long) * own_line_ns[index(bytes)];
  }
  /// Longer ones count as the longest.
  static constexpr std::size_t index(std::size_t bytes) noexcept {
    constexpr auto first = static_cast<std::size_t>(std::bit_width(first_bytes - 1));
    const auto width = static_cast<std::size_t>(std::bit_width(bytes - 1));
    return width <= first ? 0 : width - first < sizes ? width - first : sizes - 1;
  }
};

/// Measured by the first call of the process, in some 130 us (D-fresh-line). Any thread.
const copy_speed& measured_copy_speed() noexcept;

}  // namespace pure::core
