// Who copies which piece of a large payload: the receiver takes pieces from the front, the sender from the back, each
// in one step of a word that both processes map. A receiver that computes leaves all of it to a sender that waits, and
// the other way round.
//
//   claims   round, pieces taken from the front, pieces taken from the back
//   copied   pieces that are in place. Who copies the last one is the last to touch the payload.
//
// A transfer is used for one payload after the other, by its receiver, each in a round of its own: a sender that comes
// late finds another round, and knows that its payload has been copied. Rounds come again after 2^28.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::net_shm {

template <template <class> class Atomic = std::atomic>
class basic_claims {
 public:
  static constexpr std::uint32_t rounds = 1U << 28;
  static constexpr std::uint32_t most_pieces = (1U << 18) - 1;
  static constexpr std::uint32_t none = ~0U;

  basic_claims(Atomic<std::uint64_t>& claims, Atomic<std::uint32_t>& copied) noexcept
      : claims_(claims), copied_(copied) {}

  /// By the receiver, whose last payload here has been copied. The new round, which is for the sender alone.
  std::uint32_t begin() noexcept {
    const std::uint64_t before = claims_.load(std::memory_order_relaxed);
    const auto round = static_cast<std::uint32_t>((before >> round_shift) + 1) % rounds;
    copied_.store(0, std::memory_order_relaxed);
    // release: pairs with the acquire in look(): who sees the round sees that nothing of it is copied
    claims_.store(static_cast<std::uint64_t>(round) << round_shift, std::memory_order_release);
    return round;
  }

  enum class end { front, back };

  /// The next piece from that end; none: all are taken, or the round is over.
  std::uint32_t take(std::uint32_t round, std::uint32_t pieces, end from) noexcept {
    std::uint64_t now = claims_.load(std::memory_order_relaxed);
    for (;;) {
      const auto front = static_cast<std::uint32_t>(now >> front_shift) & most_pieces;
      const auto back = static_cast<std::uint32_t>(now) & most_pieces;
      if (now >> round_shift != round || front + back >= pieces) return none;
      const std::uint64_t taken = now + (from == end::front ? std::uint64_t{1} << front_shift : 1);
      // relaxed: the payload lies in memory that neither end writes meanwhile; the records have ordered it
      if (claims_.compare_exchange_weak(now, taken, std::memory_order_relaxed, std::memory_order_relaxed))
        return from == end::front ? front : pieces - 1 - back;
    }
  }

  /// That piece is in place. True: it was the last one.
  bool has_copied(std::uint32_t pieces) noexcept {
    // acq_rel: what each end has copied comes before what the other one does with the memory; pairs with itself and
    // with look()
    return copied_.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces;
  }

  /// Whether all of the round's payload is in place.
  [[nodiscard]] bool is_over(std::uint32_t round, std::uint32_t pieces) const noexcept {
    // acquire: as in has_copied()
    if (copied_.load(std::memory_order_acquire) == pieces) return true;
    return claims_.load(std::memory_order_acquire) >> round_shift != round;  // acquire: pairs with begin()
  }

 private:
  static constexpr int round_shift = 36;
  static constexpr int front_shift = 18;

  Atomic<std::uint64_t>& claims_;
  Atomic<std::uint32_t>& copied_;
};
using claims = basic_claims<>;

}  // namespace pure::net_shm
