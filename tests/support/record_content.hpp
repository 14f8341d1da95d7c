// Records with contents that a test can check: every byte follows from the message's number.
//
// The first word of every further line looks like the mark of a ready record, so that a ring that took payload of an
// earlier lap for a mark would be caught.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/record.hpp"

namespace test_support {

inline constexpr std::size_t words_per_line = pure::core::line_bytes / sizeof(std::uint32_t);

/// The word at `index`, counted from the start of the record, of message `number`.
inline std::uint32_t word_of(std::uint64_t number, std::size_t index) {
  using pure::core::ring_mark;
  if (index % words_per_line == 0) {
    return ring_mark::of(1 + static_cast<std::uint32_t>(number % 2),
                         static_cast<std::uint32_t>(pure::core::record_kind::eager),
                         ring_mark::even_lap | ring_mark::odd_lap);
  }
  return static_cast<std::uint32_t>(number * 0x9E3779B97F4A7C15U >> 32) + static_cast<std::uint32_t>(index);
}

inline constexpr std::size_t first_payload_word = pure::core::record::header_bytes / sizeof(std::uint32_t);

/// Fills in everything but the mark.
inline void fill(pure::core::record& empty, std::size_t lines, std::uint64_t number) {
  empty.bytes = static_cast<std::uint32_t>(lines * pure::core::line_bytes - pure::core::record::header_bytes);
  empty.who = {static_cast<std::uint32_t>(number), static_cast<std::int32_t>(lines), static_cast<std::int32_t>(number)};
  auto* const start = reinterpret_cast<std::byte*>(&empty);
  for (std::size_t i = first_payload_word; i < lines * words_per_line; ++i) {
    const std::uint32_t word = word_of(number, i);
    std::memcpy(start + i * sizeof word, &word, sizeof word);
  }
}

/// Whether `arrived` is message `number`, of that many lines, whole.
inline bool is_intact(const pure::core::record& arrived, std::size_t lines, std::uint64_t number) {
  using pure::core::record;
  if (pure::core::ring_mark::lines_in(arrived.mark.load(std::memory_order_relaxed)) != lines) return false;
  if (arrived.bytes != lines * pure::core::line_bytes - record::header_bytes) return false;
  if (arrived.who.context != static_cast<std::uint32_t>(number)) return false;
  if (arrived.who.source != static_cast<std::int32_t>(lines)) return false;
  const auto* const start = reinterpret_cast<const std::byte*>(&arrived);
  for (std::size_t i = first_payload_word; i < lines * words_per_line; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, start + i * sizeof word, sizeof word);
    if (word != word_of(number, i)) return false;
  }
  return true;
}

}  // namespace test_support
