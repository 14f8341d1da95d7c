// Small numbers for handles, for languages that hold ints (MPI 5.0, 19.3.4). Own thread of the rank only.
//
// A handle keeps its number as long as its object lives. Nobody says when that ends, so that what frees an object has
// nothing to do for it: once there are twice as many numbers as objects were alive the last time, those of objects that
// are gone are taken back, and are given again, the longest unused first. So numbers stay below twice the most that
// were alive at a time, or `least_room`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pure::core {

class handle_numbers {
 public:
  static constexpr std::size_t least_room = 256;

  /// `first`: the least number.
  explicit handle_numbers(int first) noexcept : first_(first) {}

  /// The number of that handle, which is not 0; a new one, if it has none. `is_alive(handle)`: whether its object is.
  template <class IsAlive>
  int number_of(std::uint64_t handle, const IsAlive& is_alive) {
    if (const auto known = numbers_.find(handle); known != numbers_.end()) return known->second;
    if (next_ == free_.size() && handles_.size() >= room_) take_back(is_alive);
    if (next_ == free_.size()) return add(handle);
    const std::size_t at = free_[next_];
    const int number = number_at(at);
    numbers_.emplace(handle, number);
    handles_[at] = handle;
    ++next_;
    return number;
  }

  /// 0: no handle has that number.
  [[nodiscard]] std::uint64_t handle_of(int number) const noexcept {
    if (number < first_) return 0;
    const auto at = static_cast<std::size_t>(number - first_);
    return at < handles_.size() ? handles_[at] : 0;
  }

 private:
  [[nodiscard]] int number_at(std::size_t at) const noexcept { return first_ + static_cast<int>(at); }

  int add(std::uint64_t handle) {
    const int number = number_at(handles_.size());
    handles_.push_back(handle);
    try {
      numbers_.emplace(handle, number);
    } catch (...) {
      handles_.pop_back();
      throw;
    }
    return number;
  }

  template <class IsAlive>
  void take_back(const IsAlive& is_alive) {
    free_.clear();
    next_ = 0;
    for (std::size_t at = 0; at < handles_.size(); ++at) {
      if (is_alive(handles_[at])) continue;
      free_.push_back(at);
      numbers_.erase(handles_[at]);
      handles_[at] = 0;
    }
    room_ = std::max(least_room, 2 * (handles_.size() - free_.size()));
  }

  const int first_;
  std::vector<std::uint64_t> handles_;  // by number, from the least on; 0: of one that is free
  std::unordered_map<std::uint64_t, int> numbers_;
  std::vector<std::size_t> free_;  // places of numbers that were taken back, those from next_ on
  std::size_t next_ = 0;
  std::size_t room_ = least_room;
};

}  // namespace pure::core
