// The locks under which elements of a window are read, combined and written: one for each stripe of a target's memory,
// of 4 KiB, but at most 256 for a target. All operations that are atomic use them, whatever their type and length, so
// that all of them exclude each other (a window of hardware atomics aside: window/operations.cpp).
//
// An element that goes across the end of a stripe is under both. Who has one of the two and does not get the other
// gives it back: nobody waits for a stripe who holds one. (A rank that waits does what other processes ask for, under
// stripes.)
//
//   0   free          1   held          2   held, and somebody sleeps
//
// Invariant (tests/model/stripe.pml): who sleeps has seen 1 or 2 and left 2. Who had been asleep, or may have been
// passed by others, locks it by 2: so that 2 is lost only by an unlock(), whose caller wakes all that wait. Modelled by
// tests/model/stripe.pml.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/cache_line.hpp"

namespace pure::core {

/// `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <template <class> class Atomic = std::atomic>
class alignas(line_bytes) basic_stripe {
 public:
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    // acquire: what the holder before has stored; pairs with the release in unlock()
    return seen == is_free &&
           state_.compare_exchange_strong(seen, is_held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// The same before the caller sleeps, and afterwards: if it is in vain, unlock() tells to wake it.
  [[nodiscard]] bool try_lock_or_sleep() noexcept {
    // acquire: as in try_lock(); pairs with the release in unlock()
    return state_.exchange(is_wanted, std::memory_order_acquire) == is_free;
  }
  /// True: the caller has to wake all that wait.
  [[nodiscard]] bool unlock() noexcept {
    // release: what the holder has stored; pairs with the acquires in try_lock() and try_lock_or_sleep()
    return state_.exchange(is_free, std::memory_order_release) == is_wanted;
  }

 private:
  enum : std::uint32_t { is_free = 0, is_held = 1, is_wanted = 2 };

  Atomic<std::uint32_t> state_{is_free};
  static_assert(Atomic<std::uint32_t>::is_always_lock_free);
};

using stripe = basic_stripe<>;

/// The stripes of elements: mostly one; both, where an element goes across the end of one. One thread.
template <template <class> class Atomic = std::atomic>
class basic_element_stripes {
 public:
  using stripe = basic_stripe<Atomic>;

  enum class outcome : std::uint8_t {
    locked,
    vain,           // the caller has none
    vain_and_wake,  // nor has it; it has to wake all that wait
  };

  /// `first` and `last`: of the first byte and the last one.
  basic_element_stripes(stripe& first, stripe& last) noexcept : first_(&first), last_(&last) {}

  [[nodiscard]] outcome try_lock() noexcept { return first_->try_lock() ? try_lock_last() : outcome::vain; }
  /// The same before the caller sleeps, and afterwards: if it is in vain, an unlock() tells to wake it, or it has to
  /// wake itself among all others.
  [[nodiscard]] outcome try_lock_or_sleep() noexcept {
    return first_->try_lock_or_sleep() ? try_lock_last() : outcome::vain;
  }
  /// True: the caller has to wake all that wait.
  [[nodiscard]] bool unlock() noexcept {
    const bool wakes = first_->unlock();
    return (last_ != first_ && last_->unlock()) || wakes;
  }

 private:
  /// The first one is held. If the last one is not free, that is the first to be tried next.
  [[nodiscard]] outcome try_lock_last() noexcept {
    if (last_ == first_ || last_->try_lock()) return outcome::locked;
    const bool wakes = first_->unlock();
    std::swap(first_, last_);
    return wakes ? outcome::vain_and_wake : outcome::vain;
  }

  stripe* first_;
  stripe* last_;
};

using element_stripes = basic_element_stripes<>;

/// Tells a rank that waits for a stripe at which of its polls to look at it. One thread.
class stripe_backoff {
 public:
  static constexpr int shortest = 8, longest = 32;  // polls between two looks

  /// `grows`: else the rank looks at each poll, for its polls give the core to others, of which one may hold the
  /// stripe.
  explicit stripe_backoff(bool grows) noexcept : polls_(grows ? shortest : 0), polls_left_(polls_) {}

  /// At each poll: whether the rank looks now.
  [[nodiscard]] bool is_over() noexcept {
    if (polls_left_ > 0) {
      --polls_left_;
      return false;
    }
    polls_ = std::min(2 * polls_, longest);
    polls_left_ = polls_;
    return true;
  }

 private:
  int polls_;  // from the last look to the next one
  int polls_left_;
};

}  // namespace pure::core
