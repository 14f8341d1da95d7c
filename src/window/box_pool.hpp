// Boxes (epoch_box.hpp) of the windows over the program's memory that the same ranks make: to make memory and to pass
// it to the other processes takes forty times as long as all else about such a window, so these ranks do it once
// (D-box-pool).
//
// Each process has such a pool for each list of ranks. What is free in each process the ranks tell each other when they
// make a window, and take what is free in all. Any rank.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "base/round_up.hpp"
#include "machine/shared_segment.hpp"
#include "window/epoch_box.hpp"

namespace pure::core {

class box_pool {
 public:
  static constexpr int windows = 32;  // at a time; others have no boxes

  using segments = std::vector<std::unique_ptr<shared_segment>>;  // by process

  static constexpr std::size_t bytes_of_box(int ranks) noexcept {
    return round_up(epoch_box::bytes_for(ranks), pair_bytes);
  }
  /// The boxes of one rank, one for each window.
  static constexpr std::size_t bytes_for(int ranks) noexcept { return windows * bytes_of_box(ranks); }

  /// A bit for each window that may have boxes; 0: there are none yet, or none that are free.
  [[nodiscard]] std::uint32_t free() const noexcept {
    const std::lock_guard lock(guard_);
    return free_;
  }
  [[nodiscard]] bool is_made() const noexcept {
    const std::lock_guard lock(guard_);
    return is_made_;
  }
  /// False: another window of this process has it, which another thread makes.
  [[nodiscard]] bool take(int number) noexcept {
    const std::lock_guard lock(guard_);
    const std::uint32_t bit = std::uint32_t{1} << number;
    return (std::exchange(free_, free_ & ~bit) & bit) != 0;
  }
  void give_back(int number) noexcept {
    const std::lock_guard lock(guard_);
    free_ |= std::uint32_t{1} << number;
  }
  /// Takes the boxes that have been made, of which the first window's is taken; or they cannot be made: then there are
  /// none, and never will be. False: another thread has called it before.
  bool make(segments&& made, bool is_there) noexcept {
    const std::lock_guard lock(guard_);
    if (is_made_) return false;
    is_made_ = true;
    if (!is_there) return true;
    segments_ = std::move(made);
    free_ = ~std::uint32_t{1};
    return true;
  }
  /// Constant, once the pool has been made.
  [[nodiscard]] const segments& all() const noexcept { return segments_; }

 private:
  mutable std::mutex guard_;
  bool is_made_ = false;
  std::uint32_t free_ = 0;
  segments segments_;
};

class box_pools {
 public:
  /// `members`: the ranks in the job, in their order. Throws std::bad_alloc.
  [[nodiscard]] box_pool& of(const std::vector<int>& members) {
    const std::lock_guard lock(guard_);
    return pools_[members];
  }

 private:
  std::mutex guard_;
  std::map<std::vector<int>, box_pool> pools_;
};

}  // namespace pure::core
