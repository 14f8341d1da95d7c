// The Sequenced Per-Thread Dropbox (paper, 4.2.1): where the ranks of a communicator leave what others take.
//
// Every rank of a communicator has a dropbox, of `slots` slots. All ranks number the collectives of the communicator
// alike; operation s uses slot s % slots of each dropbox. What a rank leaves there it publishes by storing s in the
// posting's sequence, and whoever needs it polls for that number: no read-modify-write, one cache-line transfer to each
// reader, and for data of at most inline_bytes nothing else.
//
// Invariants (tests/model/dropbox.pml)
//  1. Only its owner writes a posting, and only for an operation s such that every rank has finished operation s -
//  slots:
//     nobody reads the old contents any more, and nobody takes the new for the old.
//  2. So a posting whose sequence is s stays so until every rank has finished s.
//  3. finished counts the operations from the first on that a rank has finished without a gap. It travels with every
//     posting, so that ranks which exchange data need not read it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/aligned_bytes.hpp"
#include "base/cache_line.hpp"

namespace pure::core {

/// What one rank leaves for others in one operation.
struct alignas(pair_bytes) posting {
  static constexpr std::size_t inline_bytes = 48;

  enum class place : std::uint16_t {
    here,    // the data is in the posting
    copied,  // the posting points to a copy in the owner's dropbox
    lent     // the posting points into the owner's buffers: the operation says who tells the owner that it is free
  };

  std::byte contents[inline_bytes];        // first: aligned for any element
  std::atomic<std::uint64_t> sequence{0};  // of the operation; released by the owner
  std::uint16_t unfinished = 0;            // sequence less the operations that the owner had finished
  place where = place::here;
  std::uint32_t low_bytes = 0;  // of the size of the data, as far as they fit: two ranks that disagree on it notice

  /// Only after its sequence was seen, and only for what has a single address.
  [[nodiscard]] const std::byte* data() const noexcept {
    if (where == place::here) return contents;
    const std::byte* elsewhere = nullptr;
    std::memcpy(&elsewhere, contents, sizeof elsewhere);
    return elsewhere;
  }
  template <class T>
  [[nodiscard]] T as() const noexcept {
    static_assert(sizeof(T) <= inline_bytes);
    T value;
    std::memcpy(&value, contents, sizeof value);
    return value;
  }
};
static_assert(offsetof(posting, low_bytes) + sizeof(posting::low_bytes) == line_bytes);

/// A rank's share of the work of one large operation: pieces that its owner claims from the front, others from the back
/// (each end keeps to its part of the buffers, which stays in its cache when an operation is repeated).
///
/// Reset by the owner before it posts for the operation; used only by those that have seen the post.
/// Invariant: claims are handed out once: the n-th of the front is piece n, the n-th of the back is piece pieces-1-n,
/// and they are valid while front + back < pieces. completed counts pieces that are done, never more than were claimed.
/// tests/model/share.pml, lent.pml
class alignas(pair_bytes) share {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  void reset() noexcept {
    claims_.store(0, std::memory_order_relaxed);
    completed_.store(0, std::memory_order_relaxed);
  }

  /// The next piece for the owner, or none.
  std::uint32_t claim_front(std::uint32_t pieces) noexcept {
    // relaxed: the counter only hands out numbers; the post and complete() publish the bytes
    const std::uint64_t before = claims_.fetch_add(1, std::memory_order_relaxed);
    return left(before, pieces) ? static_cast<std::uint32_t>(before) : none;
  }
  /// The next piece for anybody else, or none. Looks before it claims: finding nothing disturbs nobody.
  std::uint32_t claim_back(std::uint32_t pieces) noexcept {
    if (!left(claims_.load(std::memory_order_relaxed), pieces)) return none;
    const std::uint64_t before = claims_.fetch_add(std::uint64_t{1} << 32, std::memory_order_relaxed);
    return left(before, pieces) ? pieces - 1 - static_cast<std::uint32_t>(before >> 32) : none;
  }

  /// True for whoever completes the last one.
  bool complete(std::uint32_t done, std::uint32_t pieces) noexcept {
    // acq_rel: the pieces of this rank, and those of all that have completed before; pairs with itself and
    // is_complete()
    return completed_.fetch_add(done, std::memory_order_acq_rel) + done == pieces;
  }
  [[nodiscard]] bool is_complete(std::uint32_t pieces) const noexcept {
    return completed_.load(std::memory_order_acquire) == pieces;  // acquire: pairs with complete()
  }

 private:
  // 2^31 pieces at most, and one claim too many for each rank: neither half overflows.
  static bool left(std::uint64_t claims, std::uint32_t pieces) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(claims)) + (claims >> 32) < pieces;
  }

  std::atomic<std::uint64_t> claims_{0};  // front in the low half, back in the high
  alignas(line_bytes) std::atomic<std::uint32_t> completed_{0};
};

struct dropbox {
  static constexpr std::size_t slots = 8;

  struct slot {
    posting post;    // what the rank contributes
    posting answer;  // what it passes on, or that it has taken what others have lent
    core::share share;
  };

  explicit dropbox(std::size_t copied_bytes) noexcept : copied_bytes_(copied_bytes) {}

  /// Own rank only, of one that it has not used.
  void set_copied_bytes(std::size_t bytes) noexcept { copied_bytes_ = bytes; }

  [[nodiscard]] slot& at(std::uint64_t sequence) noexcept { return slots_[sequence % slots]; }

  /// Own rank only: memory for what is copied, one piece of copied_bytes for each posting.
  [[nodiscard]] std::byte* copy_for(std::uint64_t sequence, bool answer) {
    if (copies_ == nullptr) copies_ = make_aligned(2 * slots * stride());
    return copies_.get() + (2 * (sequence % slots) + (answer ? 1 : 0)) * stride();
  }

  /// The owner has finished all operations up to this one. Read by ranks that want to use a slot again.
  alignas(pair_bytes) std::atomic<std::uint64_t> finished{0};

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return lines_for(copied_bytes_) * line_bytes; }

  alignas(pair_bytes) std::array<slot, slots> slots_;
  std::size_t copied_bytes_;
  aligned_bytes copies_;
};

}  // namespace pure::core
