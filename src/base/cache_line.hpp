// Sizes of the memory system that the lock-free structures are laid out for.
//
// Two fields that different threads write never share a line_bytes block. Groups of fields that different threads
// write are separated by pair_bytes, because Intel's prefetcher fetches lines in pairs.
#pragma once

#include <cstddef>

namespace pure::core {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t pair_bytes = 2 * line_bytes;

/// How many whole cache lines `bytes` bytes fill.
constexpr std::size_t lines_for(std::size_t bytes) noexcept { return (bytes + line_bytes - 1) / line_bytes; }

}  // namespace pure::core
