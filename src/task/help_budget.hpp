// How much of its time a rank gives to the tasks of others, where strangers compute on its core.
//
// The kernel shares a core fairly: a thread that has had more than its part loses the core for a slice, milliseconds,
// in the middle of whatever it does. For a rank that helps this may be a chunk, for which its owner waits; or work of
// its own, which comes late because help has used up what was due to it. So a rank that finds others on its core halves
// what it gives: it helps for that part of a period, and rests, asleep, for what is left of it. After each period
// without a loss it gives a little more, up to all of its time (additive increase, multiplicative decrease: Chiu and
// Jain, 1989). It never gives less than a quarter: its owner may have lost his core, too (D-help-budget).
//
// Beside nobody this is a look at the clock for some stolen ranges, and one at what was lost for each period.
//
// Own thread of the rank; rests() and rests_until_ns() any thread.
// Modelled by tests/model/task_sleeper.pml.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace pure::core {

class help_budget {
 public:
  static constexpr std::int64_t period_ns = 4'000'000;
  /// A loss of up to so much of the time is the kernel's own work: one part of so many.
  static constexpr std::int64_t tolerated = 16;
  /// A loss in a longer time, in which the rank has not helped, says nothing of now.
  static constexpr std::int64_t stale_ns = 100'000'000;
  /// The part of a period that is given: of `all`.
  static constexpr std::int64_t all = 64;
  static constexpr std::int64_t least = 16;
  /// While all is given, the clock is read after each so many stolen ranges: it takes as long as a claim.
  static constexpr unsigned ranges_per_look = 4;

  [[nodiscard]] std::int64_t part() const noexcept { return part_; }

  /// Whether the rank leaves the work of others alone. The clock is read only if it has ever done so.
  template <class Clock>
  [[nodiscard]] bool rests(Clock&& clock) const noexcept {
    const std::int64_t until_ns = rests_until_ns();
    return until_ns != 0 && clock() < until_ns;
  }
  /// When it looks at it again; 0, or in the past: it does.
  [[nodiscard]] std::int64_t rests_until_ns() const noexcept {
    // relaxed: who reads an older time wakes the rank in vain, or leaves it asleep until its rest ends by itself
    return rests_until_ns_.load(std::memory_order_relaxed);
  }

  /// Before a chunk.
  template <class Clock>
  void begin(Clock&& clock) noexcept {
    if (part_ != all) [[unlikely]]
      began_ns_ = clock();
  }
  /// After it. One that outlasts the period counts for none. `lost_ns()`: for how long others have had the core since
  /// this began; it is called once in a period. Returns what was lost since the last call of it, if that was too much;
  /// 0 otherwise.
  template <class Clock, class Lost>
  std::int64_t end(Clock&& clock, Lost&& lost_ns) {
    const bool gives_all = part_ == all;
    if (gives_all && ++unseen_ % ranges_per_look != 0) [[likely]]
      return 0;
    const std::int64_t now_ns = clock();
    if (now_ns >= period_ends_ns_) [[unlikely]]
      return begin_period(now_ns, lost_ns());
    if (gives_all) return 0;
    given_ns_ += now_ns - began_ns_;
    if (given_ns_ * all >= part_ * period_ns) rest();
    return 0;
  }

 private:
  void rest() noexcept { rests_until_ns_.store(period_ends_ns_, std::memory_order_relaxed); }

  std::int64_t begin_period(std::int64_t now_ns, std::int64_t lost_ns) noexcept {
    const std::int64_t passed_ns = now_ns - (period_ends_ns_ - period_ns);
    const std::int64_t lost_since_ns = lost_ns - std::exchange(lost_ns_, lost_ns);
    period_ends_ns_ = now_ns + period_ns;
    given_ns_ = 0;
    if (passed_ns > stale_ns) return 0;  // the first one, too
    if (lost_since_ns <= passed_ns / tolerated) {
      part_ = std::min(part_ + 1, all);
      return 0;
    }
    part_ = std::max(part_ / 2, least);
    rest();
    return lost_since_ns;
  }

  std::int64_t part_ = all;
  unsigned unseen_ = 0;
  std::int64_t period_ends_ns_ = 0;
  std::int64_t lost_ns_ = 0;   // when the period began
  std::int64_t given_ns_ = 0;  // in this period
  std::int64_t began_ns_ = 0;  // the last chunk, if part_ is not `all`
  std::atomic<std::int64_t> rests_until_ns_{0};
};

}  // namespace pure::core
