// The lock of one target of a window: shared by many ranks, or held by one (MPI 4.1, 12.5.3).
//
//   bit 63     a rank holds it exclusively
//   bit 62     it is promised to a rank that has waited for long: only that one gets it
//   bit 61     a rank sleeps: who makes it free has to wake all that wait
//   bits 31..0 how many ranks share it
//
// One word, so that ranks of other processes on the machine, which map it, use it as well. It is not fair, for a hand-
// over costs a transfer of the line and the time to notice it, but who has tried most_tries times gets the promise
// next, and then the lock before all others: nobody waits for ever. Who has the promise is known to itself only. Who
// goes to sleep because ranks share the lock does so with the promise, or while another has it: else ranks that come
// and go might share it for ever, and the last one, who would wake it, never leave.
//
// Invariants (tests/model/window_lock.pml):
//  1. At most one rank holds it exclusively, and then nobody shares it.
//  2. The promise is given to one rank at a time, which takes it back by getting the lock.
//  3. Who sleeps has set bit 61 in a word that it could not lock. Every change after which it could is made by somebody
//     who sees the bit, clears it, and wakes all: the end of an exclusive lock, of the last shared one, and of a
//     promise.
// Modelled by tests/model/window_lock.pml.
#pragma once

#include <atomic>
#include <cstdint>

namespace pure::core {

enum class lock_kind : std::uint8_t { shared, exclusive };

/// `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <template <class> class Atomic = std::atomic>
class basic_window_lock {
 public:
  static constexpr int most_tries = 16;

  /// Of one rank that wants the lock.
  struct attempt {
    lock_kind kind;
    int tries = 0;
    bool is_promised = false;
  };

  enum class outcome : std::uint8_t { vain, locked, locked_and_wake };

  /// locked_and_wake: the caller has to wake all that wait.
  outcome try_lock(attempt& by) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (is_free_for(by, word)) {
      const std::uint64_t locked = with(by, word);
      // acquire: what the holders before have done; pairs with the releases in unlock()
      if (word_.compare_exchange_weak(word, locked, std::memory_order_acquire, std::memory_order_relaxed)) {
        return (word & ~locked & sleeps) != 0 ? outcome::locked_and_wake : outcome::locked;
      }
    }
    if (by.tries < most_tries) {
      ++by.tries;
    } else if (!by.is_promised && (word & promised) == 0) {
      by.is_promised = word_.compare_exchange_strong(word, word | promised, std::memory_order_relaxed);
    }
    return outcome::vain;
  }

  /// The same before the rank sleeps: if it is in vain, unlock() or somebody's try_lock() tells to wake it.
  outcome try_lock_or_sleep(attempt& by) noexcept {
    for (;;) {
      if (const outcome tried = try_lock(by); tried != outcome::vain) return tried;
      std::uint64_t word = word_.load(std::memory_order_relaxed);
      if (is_free_for(by, word)) continue;
      const bool takes_promise = by.kind == lock_kind::exclusive && (word & readers) != 0 && (word & promised) == 0;
      const std::uint64_t asleep = word | sleeps | (takes_promise ? promised : 0);
      if (word == asleep || word_.compare_exchange_strong(word, asleep, std::memory_order_relaxed)) {
        by.is_promised |= takes_promise;
        return outcome::vain;
      }
    }
  }

  /// True: the caller has to wake all that wait.
  [[nodiscard]] bool unlock(lock_kind held) noexcept {
    if (held == lock_kind::exclusive) {
      // release: what the holder has done; pairs with the acquire in try_lock()
      return (word_.fetch_and(~(exclusive | sleeps), std::memory_order_release) & sleeps) != 0;
    }
    // release: its loads come before the stores of the next exclusive holder; pairs with the acquire in try_lock()
    const std::uint64_t before = word_.fetch_sub(1, std::memory_order_release);
    if ((before & readers) != 1 || (before & sleeps) == 0) return false;
    return (word_.fetch_and(~sleeps, std::memory_order_relaxed) & sleeps) != 0;
  }

  [[nodiscard]] bool is_held() const noexcept {
    return (word_.load(std::memory_order_relaxed) & (exclusive | readers)) != 0;
  }
  [[nodiscard]] bool is_held_exclusively() const noexcept {
    return (word_.load(std::memory_order_relaxed) & exclusive) != 0;
  }

 private:
  static constexpr std::uint64_t exclusive = std::uint64_t{1} << 63;
  static constexpr std::uint64_t promised = std::uint64_t{1} << 62;
  static constexpr std::uint64_t sleeps = std::uint64_t{1} << 61;
  static constexpr std::uint64_t readers = 0xffffffff;

  static bool is_free_for(const attempt& by, std::uint64_t word) noexcept {
    const std::uint64_t others = by.kind == lock_kind::exclusive ? exclusive | readers : exclusive;
    return (word & others) == 0 && ((word & promised) == 0 || by.is_promised);
  }
  static std::uint64_t with(const attempt& by, std::uint64_t word) noexcept {
    const std::uint64_t held = by.kind == lock_kind::exclusive ? word | exclusive : word + 1;
    return by.is_promised ? held & ~(promised | sleeps) : held;
  }

  Atomic<std::uint64_t> word_{0};
  static_assert(Atomic<std::uint64_t>::is_always_lock_free);  // also between processes
};

using window_lock = basic_window_lock<>;

}  // namespace pure::core
