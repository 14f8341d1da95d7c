// Blocks of different sizes for all ranks in one piece of memory: offsets, then the data. How a scatter or an
// all-to-all of little data fits into a posting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pure/detail/collectives.hpp>

#include "coll/operation.hpp"

namespace pure::core {

/// The bytes that the blocks of all ranks but `without` take, packed.
[[nodiscard]] inline std::size_t packed_bytes(const block_layout& blocks, int ranks, int without) noexcept {
  std::size_t sum = sizeof(std::uint64_t) * (static_cast<std::size_t>(ranks) + 1);
  for (int q = 0; q < ranks; ++q) sum += q == without ? 0 : blocks.bytes(q);
  return sum;
}

/// `room` has packed_bytes() bytes.
inline void pack(std::byte* room, const void* base, const block_layout& blocks, int ranks, int without) noexcept {
  std::uint64_t end = sizeof(std::uint64_t) * (static_cast<std::size_t>(ranks) + 1);
  for (int q = 0; q < ranks; ++q) {
    std::memcpy(room + static_cast<std::size_t>(q) * sizeof end, &end, sizeof end);
    if (q == without) continue;
    const std::size_t bytes = blocks.bytes(q);
    copy_bytes(room + end, block_at(base, blocks, q), bytes);
    end += bytes;
  }
  std::memcpy(room + static_cast<std::size_t>(ranks) * sizeof end, &end, sizeof end);
}

struct packed_block {
  const std::byte* data;
  std::size_t bytes;
};

[[nodiscard]] inline packed_block block_in(const std::byte* packed, int q) noexcept {
  std::uint64_t ends[2];
  std::memcpy(ends, packed + static_cast<std::size_t>(q) * sizeof ends[0], sizeof ends);
  return {packed + ends[0], ends[1] - ends[0]};
}

}  // namespace pure::core
