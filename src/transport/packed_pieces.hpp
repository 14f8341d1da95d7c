// Where a sender packs pieces of a message whose bytes lie far apart, and the receiver unpacks them (rendezvous.hpp).
//
// A bounded queue of one writer and one reader in memory that belongs to the writer's rank: piece i lies in slot
// i % slots from the moment packed_ > i until unpacked_ > i. Each counter is written by one end only. Until then the
// slot is the reader's, who may write to it, too: see reader_should_take_lines().
// Modelled by tests/model/packed.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"

namespace pure::core {

class packed_pieces {
 public:
  static constexpr std::size_t largest_piece_bytes = 8 * 1024;
  static constexpr std::uint32_t slots = 8;

  /// Before the receiver knows of it: empty.
  void clear() noexcept {
    packed_.store(0, std::memory_order_relaxed);
    unpacked_.store(0, std::memory_order_relaxed);
    known_unpacked_ = 0;
  }

  // ---- by the sender ----

  /// How many it has packed.
  [[nodiscard]] std::uint32_t count() const noexcept { return packed_.load(std::memory_order_relaxed); }
  /// Where the next piece goes; null as long as the receiver needs all slots.
  [[nodiscard]] std::byte* room() noexcept {
    if (count() - known_unpacked_ == slots) {
      // acquire: the receiver has read the slot; pairs with the release in has_unpacked()
      known_unpacked_ = unpacked_.load(std::memory_order_acquire);
      if (count() - known_unpacked_ == slots) return nullptr;
    }
    return slot(count());
  }
  void publish() noexcept {
    packed_.store(count() + 1, std::memory_order_release);  // release: the bytes of the piece; pairs with piece()
  }

  // ---- by the receiver ----

  /// The piece after so many; null: it is not packed yet.
  [[nodiscard]] const std::byte* piece(std::uint32_t number) noexcept {
    // acquire: its bytes; pairs with the release in publish()
    return packed_.load(std::memory_order_acquire) > number ? slot(number) : nullptr;
  }
  /// Writes to the lines of the piece after so many, of `bytes` bytes, which it has read.
  void take_lines(std::uint32_t number, std::size_t bytes) noexcept {
    std::byte* const lines = slot(number);
    for (std::size_t at = 0; at < bytes; at += line_bytes) lines[at] = std::byte{0};
  }
  /// So many pieces are needed no more.
  void has_unpacked(std::uint32_t number) noexcept {
    unpacked_.store(number, std::memory_order_release);  // release: the slots have been read; pairs with room()
  }

 private:
  std::byte* slot(std::uint32_t number) noexcept { return memory_ + number % slots * largest_piece_bytes; }

  alignas(pair_bytes) std::atomic<std::uint32_t> packed_{0};
  std::uint32_t known_unpacked_ = 0;  // what the sender has last seen: it looks only when there seems to be no room
  alignas(pair_bytes) std::atomic<std::uint32_t> unpacked_{0};
  alignas(pair_bytes) std::byte memory_[slots * largest_piece_bytes];
};

/// The packed pieces of a rank, for as many messages as have needed one at the same time. Own thread of the rank.
class packed_pieces_pool {
 public:
  /// Empty; null: no memory.
  packed_pieces* get() noexcept;
  void give_back(packed_pieces& used) noexcept { free_.push_back(&used); }  // never allocates: get() has reserved room
  /// How many there are.
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] std::size_t in_use() const noexcept { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<packed_pieces>> all_;
  std::vector<packed_pieces*> free_;
};

}  // namespace pure::core
