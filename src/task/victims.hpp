// In which order a waiting worker looks at the ranks' slots for chunks (PURE_STEAL_FROM).
//
// sticky  from the rank that had some the last time on: who had work is likely to have more
// random  from any rank on, so that thieves spread
// near    by distance: its own core, then its NUMA node, its socket, the rest; then from its own number on
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/rank.hpp"

namespace pure::core {

class job;

/// For `near`: the ranks by distance from each place of the machine, of which there are about as many as cores. One for
/// a job, constant.
class victims_by_distance {
 public:
  static constexpr int distances = 4;

  victims_by_distance() = default;
  /// Nothing unless the job steals from near ranks.
  explicit victims_by_distance(const job& of);

  /// What ranks at one place see: all ranks by distance, then by number; and how many are at most so far.
  struct view {
    std::vector<int> order;
    std::array<int, distances> ends{};
  };
  /// Null if there is nothing.
  [[nodiscard]] const view* view_of(int worker) const noexcept;

 private:
  std::vector<int> view_of_worker_;
  std::vector<view> views_;
};

class victims {
 public:
  /// `all` outlives it.
  victims(const rank_context& thief, const victims_by_distance& all);

  /// How many there are, the thief itself among them.
  [[nodiscard]] int count() const noexcept { return count_; }
  /// Before a look at all: where it begins.
  void begin_look() noexcept {
    if (is_random_) first_ = next_random();
  }
  /// The i-th of this look.
  [[nodiscard]] int at(int i) const noexcept {
    if (near_ != nullptr) return nearest(i);
    const int place = first_ + i;
    const int number = own_ + (place < count_ ? place : place - count_);
    return number < count_ ? number : number - count_;
  }
  /// The i-th had chunks.
  void found(int i) noexcept {
    if (is_sticky_) first_ = (first_ + i) % count_;
  }

 private:
  int next_random() noexcept;
  [[nodiscard]] int nearest(int i) const noexcept;

  const int count_;
  const int own_;  // from its own number on; a helper's as if ranks went on
  const victims_by_distance::view* const near_;
  std::array<int, victims_by_distance::distances> own_places_{};  // in `near_`: of those at a distance, where to begin
  const bool is_random_;
  const bool is_sticky_;
  int first_ = 0;
  std::uint32_t random_state_;
};

}  // namespace pure::core
