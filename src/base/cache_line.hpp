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

/// Whether lines that one core writes again and again, and another reads each time, go to and fro faster if the reader
/// writes to them, too. So it is where a line that was read stays the writer's, and shared (the Owned state of AMD's
/// MOESI): to write it again, the writer asks outside of the cores' common cache (D-take-lines). Others keep no such
/// lines.
inline bool reader_should_take_lines() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

}  // namespace pure::core
