// The locks under which elements of a window are read, combined and written: one for each stripe of a target's memory,
// of 4 KiB, but at most 256 for a target. All operations that are atomic use them, whatever their type and length, so
// that all of them exclude each other (a window of hardware atomics aside: window_operations.cpp). Nobody holds two.
//
//   0   free          1   held          2   held, and somebody sleeps
//
// Invariant (tests/model/stripe.pml): who sleeps has seen 1 or 2 and left 2. Who had been asleep, or may have been
// passed by others, locks it by 2: so that 2 is lost only by an unlock(), whose caller wakes all that wait. Modelled by
// tests/model/stripe.pml.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"

namespace pure::core {

class alignas(line_bytes) stripe {
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

  std::atomic<std::uint32_t> state_{is_free};
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

}  // namespace pure::core
