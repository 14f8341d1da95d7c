// How long work that was left for the network waits until the watch looks for it. Whoever leaves some mostly waits for
// something at once, and does it: to wake the watch then only takes a core from a rank. So after each time in vain it
// comes twice as late, which costs at most about the time in which that has gone well; and soon again after it was
// needed.
//
// Written by the watch, read by any thread, which may act on what was true a moment ago.
#pragma once

#include <algorithm>
#include <atomic>

namespace pure::core {

class alarm_pace {
 public:
  static constexpr long shortest_ns = 50'000, longest_ns = 1'000'000;

  [[nodiscard]] long after_ns() const noexcept { return after_ns_.load(std::memory_order_relaxed); }

  /// The alarm has gone off. `was_needed`: nobody had done what was left.
  void has_rung(bool was_needed) noexcept {
    after_ns_.store(was_needed ? shortest_ns : std::min(2 * after_ns(), longest_ns), std::memory_order_relaxed);
  }

 private:
  std::atomic<long> after_ns_{shortest_ns};
};

}  // namespace pure::core
