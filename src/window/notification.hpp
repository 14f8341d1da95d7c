// A counter of notifications at one target of a window: others add, its owner waits for them. How many the owner has
// taken it knows by itself: so it only reads the word, whose line the next notifier then has without asking for it
// twice.
//
//   bit 63      the owner sleeps
//   bits 62..0  notifications that have ever come
//
// One word, so that ranks of other processes on the machine, which map it, notify as well.
//
// Invariant (tests/model/notification.pml): an owner that sleeps has set bit 63 in a word with too few notifications.
// Whoever adds one sees the bit, clears it and wakes the owner, who looks again.
// Modelled by tests/model/notification.pml.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::core {

/// `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <template <class> class Atomic = std::atomic>
class basic_notification {
 public:
  /// True: the caller has to wake the owner. What the caller has stored before is seen by the owner that takes it.
  [[nodiscard]] bool add() noexcept {
    // release: the caller's stores; pairs with the acquire in try_take(). A later addition goes on with the sequence
    if ((word_.fetch_add(1, std::memory_order_release) & sleeps) == 0) return false;
    return (word_.fetch_and(~sleeps, std::memory_order_relaxed) & sleeps) != 0;
  }

  /// By the owner, who has taken `taken` so far: takes `count` more, if so many have come.
  bool try_take(std::uint64_t& taken, std::uint64_t count) const noexcept {
    // acquire: what those who have added have stored before; pairs with the release in add()
    if ((word_.load(std::memory_order_acquire) & ~sleeps) - taken < count) return false;
    taken += count;
    return true;
  }
  /// The same before the owner sleeps: if it is in vain, the next add() tells to wake it.
  bool try_take_or_sleep(std::uint64_t& taken, std::uint64_t count) noexcept {
    if (try_take(taken, count)) return true;
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    do {
      if ((word & ~sleeps) - taken >= count) return try_take(taken, count);
    } while (!word_.compare_exchange_weak(word, word | sleeps, std::memory_order_relaxed));
    return false;
  }

  /// By an owner that waits for something else, which is stored before an add(): looks, and if that is in
  /// vain before it sleeps, the next add() tells to wake it. True: the look was not.
  template <class Look>
  bool look_or_sleep(Look look) {
    for (;;) {
      // acquire: what has been stored before the additions that are seen; pairs with the release in add(). So the look
      // is behind all that try_take_or_sleep() does not find to be new.
      std::uint64_t seen = word_.load(std::memory_order_acquire) & ~sleeps;
      if (look()) return true;
      if (!try_take_or_sleep(seen, 1)) return false;
    }
  }

  /// A moment ago.
  [[nodiscard]] std::uint64_t count() const noexcept { return word_.load(std::memory_order_relaxed) & ~sleeps; }

 private:
  static constexpr std::uint64_t sleeps = std::uint64_t{1} << 63;

  Atomic<std::uint64_t> word_{0};
  static_assert(Atomic<std::uint64_t>::is_always_lock_free);
};

using notification = basic_notification<>;

}  // namespace pure::core
