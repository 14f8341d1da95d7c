// Who moves which piece of a large payload: the sender takes pieces from the front, and sends them through the ring; a
// receiver that waits in vain takes pieces from the back, and reads them from the sender's memory. Each takes in one
// step of a word that both processes map.
//
//   claims   pieces taken from the front, pieces taken from the back
//   read     pieces that the receiver has read. When those are all that it has taken, the payload's memory is the
//            sender's again.
//
// The words are the receiver's, who uses them for one payload after the other. A sender that takes the last piece does
// not look at them any more; another one says when it has looked for the last time (record_kind::released), and until
// then they are not used again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace pure::net_shm {

/// Pieces one after the other.
struct piece_range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

template <template <class> class Atomic = std::atomic>
class basic_claims {
 public:
  static constexpr std::uint32_t most_pieces = ~0U - 1;
  static constexpr std::uint32_t none = ~0U;

  basic_claims(Atomic<std::uint64_t>& claims, Atomic<std::uint32_t>& read) noexcept : claims_(claims), read_(read) {}

  /// By the receiver, before it tells the sender of these words. The record that does so publishes the two.
  void begin() noexcept {
    claims_.store(0, std::memory_order_relaxed);
    read_.store(0, std::memory_order_relaxed);
  }

  /// By the sender: the next piece; none: all are taken.
  std::uint32_t take_front(std::uint32_t pieces) noexcept {
    std::uint64_t now = claims_.load(std::memory_order_relaxed);
    for (;;) {
      if (front_in(now) + back_in(now) == pieces) return none;
      // relaxed: neither end writes the payload meanwhile; the records have ordered it
      if (claims_.compare_exchange_weak(now, now + one_at_front, std::memory_order_relaxed, std::memory_order_relaxed))
        return front_in(now);
    }
  }

  /// By the receiver: at most `most` pieces; of no length: all are taken.
  piece_range take_back(std::uint32_t pieces, std::uint32_t most) noexcept {
    std::uint64_t now = claims_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t left = pieces - front_in(now) - back_in(now);
      const std::uint32_t count = std::min(left, most);
      if (count == 0) return {};
      // relaxed: as in take_front()
      if (claims_.compare_exchange_weak(now, now + count, std::memory_order_relaxed, std::memory_order_relaxed))
        return {pieces - back_in(now) - count, count};
    }
  }

  /// By the receiver: copies pieces that it has taken, and then says so. `copy`: false if it could not, and then
  /// nothing is said. `ring`: for the sender, who may sleep until that (doorbell.hpp). True if they are copied.
  template <class Copy, class Ring>
  bool read_back(std::uint32_t count, Copy copy, Ring ring) {
    if (!copy()) return false;
    const std::uint32_t before = read_.load(std::memory_order_relaxed);
    // release: the reads come before what the sender does with its memory then; pairs with the acquire in is_all_read()
    read_.store(before + count, std::memory_order_release);
    ring();
    return true;
  }

  /// By the sender, when all pieces are taken: whether the receiver has read its own.
  [[nodiscard]] bool is_all_read() const noexcept {
    // acquire: pairs with the release in read_back()
    return read_.load(std::memory_order_acquire) == back_in(claims_.load(std::memory_order_relaxed));
  }

 private:
  static constexpr int front_shift = 32;
  static constexpr std::uint64_t one_at_front = std::uint64_t{1} << front_shift;
  static constexpr std::uint32_t front_in(std::uint64_t claims) noexcept {
    return static_cast<std::uint32_t>(claims >> front_shift);
  }
  static constexpr std::uint32_t back_in(std::uint64_t claims) noexcept { return static_cast<std::uint32_t>(claims); }

  Atomic<std::uint64_t>& claims_;
  Atomic<std::uint32_t>& read_;
};
using claims = basic_claims<>;

}  // namespace pure::net_shm
