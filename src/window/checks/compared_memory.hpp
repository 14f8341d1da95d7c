// A copy of what is known of one rank's memory in an epoch, so that stores to it show (PURE_CHECK): stores leave no
// trace, but what differs from the copy was stored.
//
// Bytes are known from the beginning of the epoch on, or since an operation that has read or written them. The
// beginning of an epoch may cost no more than what operations touch: it copies all of a small part, and of a large one
// the blocks that operations have touched in one of the last epochs. So a store before the first operation on a block
// of a large part for long is not seen.
//
// Whoever uses it keeps others out (window_checks.cpp does), and nobody reads memory on its behalf but begin(), by the
// owner, and know() and changed(), of bytes that an operation uses.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "window/checks/access_map.hpp"

namespace pure::core {

class compared_memory {
 public:
  static constexpr std::size_t block_bytes = 1024;
  /// A part of at most so many bytes is copied as a whole.
  static constexpr std::size_t small_part_bytes = std::size_t{64} << 10;
  /// A block is copied in the epoch in which an operation touches it, and in so many that follow.
  static constexpr std::uint64_t epochs_kept = 8;
  /// More is never copied; what operations touch beyond is not compared.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  explicit compared_memory(std::size_t most = most_bytes) noexcept : most_bytes_(most) {}

  /// An epoch begins in which the memory of the part is compared.
  void begin(const std::byte* memory, std::size_t bytes);
  /// The epoch ends: nothing is compared any more.
  void end() noexcept { is_on_ = false; }
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }

  /// These bytes of the part have what lies at `content` now.
  void know(access_map::range bytes, const std::byte* content);
  /// These bytes are used by an operation that says nothing of what they have: one from now on, and they are copied in
  /// the next epochs.
  void touch(access_map::range bytes);
  /// What they have is not known any more, in this epoch.
  void forget(access_map::range bytes) noexcept;
  /// The first of them that are known, and are not so in the memory of the part.
  [[nodiscard]] std::optional<access_map::range> changed(access_map::range bytes, const std::byte* memory) const;

  [[nodiscard]] std::size_t copied_bytes() const noexcept { return blocks_.size() * block_bytes; }

 private:
  struct block {
    std::uint64_t touched_in = 0;  // the epoch of the last operation on it
    std::bitset<block_bytes> known;
    std::byte bytes[block_bytes];
  };

  /// Those bytes of the range that are in one block, one block after the other: use(number of the block, first byte in
  /// it, how many, where the first one is in the range). Until it returns false.
  template <class Use>
  static void for_each_block(access_map::range bytes, Use use) {
    for (std::uint64_t at = bytes.begin; at < bytes.end;) {
      const std::uint64_t first = at % block_bytes;
      const std::uint64_t count = std::min(bytes.end - at, block_bytes - first);
      if (!use(at / block_bytes, first, count, at - bytes.begin)) return;
      at += count;
    }
  }
  /// Null: there are too many.
  block* make(std::uint64_t number);

  const std::size_t most_bytes_;
  std::unordered_map<std::uint64_t, std::unique_ptr<block>> blocks_;  // by number: its first byte / block_bytes
  std::uint64_t epoch_ = 0;
  bool is_on_ = false;
};

}  // namespace pure::core
