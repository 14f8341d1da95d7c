// Copies of a few bytes whose number is known only at run time, without a call to memcpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pure::core {

/// Copies `bytes` <= 40 bytes with at most five moves: two overlapping ones where the length is no power of two.
/// (An inline call to memcpy takes longer: D-small-copy.)
inline void copy_at_most_40(void* to, const void* from, std::size_t bytes) noexcept {
  auto* const t = static_cast<std::byte*>(to);
  const auto* const f = static_cast<const std::byte*>(from);
  const auto move = [&]<class Word>(Word word, std::size_t at) {
    std::memcpy(&word, f + at, sizeof word);
    return word;
  };
  const auto put = [&]<class Word>(Word word, std::size_t at) { std::memcpy(t + at, &word, sizeof word); };
  if (bytes == 8) {  // one double or one index: by far the most common length
    put(move(std::uint64_t{}, 0), 0);
  } else if (bytes > 8) {
    const auto last = move(std::uint64_t{}, bytes - 8);
    put(move(std::uint64_t{}, 0), 0);
    if (bytes > 16) put(move(std::uint64_t{}, 8), 8);
    if (bytes > 24) put(move(std::uint64_t{}, 16), 16);
    if (bytes > 32) put(move(std::uint64_t{}, 24), 24);
    put(last, bytes - 8);
  } else if (bytes >= 4) {
    const auto last = move(std::uint32_t{}, bytes - 4);
    put(move(std::uint32_t{}, 0), 0);
    put(last, bytes - 4);
  } else if (bytes > 0) {
    const auto middle = move(std::uint8_t{}, bytes / 2);
    const auto last = move(std::uint8_t{}, bytes - 1);
    put(move(std::uint8_t{}, 0), 0);
    put(middle, bytes / 2);
    put(last, bytes - 1);
  }
}

}  // namespace pure::core
