// In which order a waiting worker looks at the ranks' slots for chunks (PURE_STEAL_FROM).
//
// sticky  from the rank that had some the last time on: who had work is likely to have more
// random  from any rank on, so that thieves spread
// near    by distance: its own core, then its NUMA node, its socket, the rest; then from its own number on
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/rank.hpp"

namespace pure::core {

class victims {
 public:
  explicit victims(const rank_context& thief);

  /// How many there are, the thief itself among them.
  [[nodiscard]] int count() const noexcept { return static_cast<int>(order_.size()); }
  /// Before a look at all: where it begins.
  void begin_look() noexcept {
    if (is_random_) first_ = next_random();
  }
  /// The i-th of this look.
  [[nodiscard]] int at(int i) const noexcept {
    const int place = first_ + i;
    return order_[static_cast<std::size_t>(place < count() ? place : place - count())];
  }
  /// The i-th had chunks.
  void found(int i) noexcept {
    if (is_sticky_) first_ = (first_ + i) % count();
  }

 private:
  int next_random() noexcept;

  std::vector<int> order_;
  bool is_random_;
  bool is_sticky_;
  int first_ = 0;
  std::uint32_t random_state_;
};

}  // namespace pure::core
