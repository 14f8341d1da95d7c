// The counts by which the ranks of a process find that a phase of an aggregation has ended: every item that was sent
// has been handled, and nobody will send another.
//
// A rank publishes how many items it has *sent* before it pushes the buffer that holds them, always; how many it has
// *handled* only when it is quiet: it is in finish, has no work left, and has pushed all its buffers. Whoever looks
// reads all `handled`, and after that all `sent`. If the sums are equal the phase has ended, and one such look is
// enough:
//
//   Let X be the items that the `handled` that were read count. Each was pushed behind its publication as sent, so that
//   who reads it as handled reads it as sent, too: the sum of `sent` is at least |X|, and equal only if every rank's
//   `sent` counts items of X alone. Suppose that there is an item outside of X. A rank that sends one before it
//   publishes the `handled` that was read publishes it as sent before, too; so it has sent it later, and has been woken
//   to do so by an item that its `handled` does not count: by another one outside of X, which was there before. There
//   is no first one.
//
// (With `sent` published only by quiet ranks, as in many libraries, the sums can be equal while two ranks are busy: the
// items that one of them has sent hide those that wait for the other. tests/model/termination.pml,
// MUTATE_SENT_WHEN_QUIET.) Between processes the sums go round in waves: aggregation/termination_waves.hpp. Modelled by
// tests/model/termination.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cache_line.hpp"

namespace pure::core {

/// What one rank publishes. Written by it alone.
class rank_counts {
 public:
  // ---- the rank ----

  /// Before it pushes the buffer with the last of so many items.
  void publish_sent(std::uint64_t items) noexcept {
    sent_.store(items, std::memory_order_release);  // release: what has made the rank send; pairs with sent()
  }
  /// In its finish of that phase it has nothing left to do, and has handled so many items.
  void publish_quiet(std::uint64_t phase, std::uint64_t handled) noexcept {
    handled_.store(handled, std::memory_order_release);  // release: that they were sent; pairs with handled()
    quiet_in_.store(phase, std::memory_order_release);   // release: what is handled; pairs with is_quiet_in()
  }
  /// The rank has got something to handle: nobody need look at the sums.
  void publish_active() noexcept { quiet_in_.store(0, std::memory_order_relaxed); }
  /// For reports.
  void note_handled(std::uint64_t items) noexcept { handled_so_far_.store(items, std::memory_order_relaxed); }
  void publish_in_finish(std::uint64_t phase) noexcept { finishing_.store(phase, std::memory_order_relaxed); }

  // ---- whoever looks ----

  [[nodiscard]] bool is_quiet_in(std::uint64_t phase) const noexcept {
    return quiet_in_.load(std::memory_order_acquire) == phase;  // acquire: pairs with publish_quiet()
  }
  [[nodiscard]] std::uint64_t handled() const noexcept {
    return handled_.load(std::memory_order_acquire);  // acquire: pairs with publish_quiet()
  }
  [[nodiscard]] std::uint64_t sent() const noexcept {
    return sent_.load(std::memory_order_acquire);  // acquire: pairs with publish_sent()
  }
  /// A moment ago.
  [[nodiscard]] std::uint64_t handled_so_far() const noexcept {
    return handled_so_far_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_in_finish_of(std::uint64_t phase) const noexcept {
    return finishing_.load(std::memory_order_relaxed) >= phase;
  }

 private:
  // --- for every buffer; read when all ranks are quiet ---
  alignas(pair_bytes) std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> handled_so_far_{0};
  // --- when it becomes quiet, or active; read by those who are quiet ---
  alignas(pair_bytes) std::atomic<std::uint64_t> quiet_in_{0};  // the phase; 0: active
  std::atomic<std::uint64_t> handled_{0};
  std::atomic<std::uint64_t> finishing_{0};
};

class phase_counts {
 public:
  struct sums {
    std::uint64_t handled = 0, sent = 0;
    [[nodiscard]] bool are_equal() const noexcept { return handled == sent; }
  };

  explicit phase_counts(std::size_t ranks) : ranks_(ranks) {}

  [[nodiscard]] rank_counts& of(std::size_t index) noexcept { return ranks_[index]; }
  [[nodiscard]] const rank_counts& of(std::size_t index) const noexcept { return ranks_[index]; }

  /// What all have handled, then what all have sent; nothing if somebody is active. `first_active`: where the caller's
  /// last look has ended, and this one begins, for whoever waits looks often: at the line of one rank.
  [[nodiscard]] std::optional<sums> look(std::uint64_t phase, std::size_t& first_active) const noexcept {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::size_t at = (first_active + i) % ranks_.size();
      if (!ranks_[at].is_quiet_in(phase)) {
        first_active = at;
        return std::nullopt;
      }
    }
    sums found;
    for (const rank_counts& each : ranks_) found.handled += each.handled();
    for (const rank_counts& each : ranks_) found.sent += each.sent();
    return found;
  }

  /// A moment ago, for reports: how many items are under way. No less than none.
  [[nodiscard]] std::uint64_t under_way() const noexcept {
    sums found;
    for (const rank_counts& each : ranks_) found.handled += each.handled_so_far();
    for (const rank_counts& each : ranks_) found.sent += each.sent();
    return found.sent > found.handled ? found.sent - found.handled : 0;
  }

 private:
  std::vector<rank_counts> ranks_;
};

}  // namespace pure::core
