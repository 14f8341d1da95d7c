// Ranges of memory, which may overlap, and whether some of them have a byte in common with another one.
//
// Kept are the bounds of the ranges, in order, and how many ranges are over the bytes between two of them. So a
// question takes the logarithm of their number, and a change that, and a step for each bound inside of the range: never
// more of these than the range has bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>

namespace pure::core {

class counted_ranges {
 public:
  /// Throws std::bad_alloc, and then nothing is added.
  void add(const std::byte* from, std::size_t bytes) {
    if (bytes == 0) return;
    const place first = bound_at(from);
    place end;
    try {
      end = bound_at(from + bytes);
    } catch (...) {
      if (first->second.ranges == 0) bounds_.erase(first);
      throw;
    }
    ++first->second.ranges, ++end->second.ranges;
    std::for_each(first, end, [](auto& each) { ++each.second.over; });
  }

  /// One that was added.
  void remove(const std::byte* from, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    const place first = bounds_.find(from), end = bounds_.find(from + bytes);
    std::for_each(first, end, [](auto& each) { --each.second.over; });
    for (const place each : {first, end}) {
      if (--each->second.ranges == 0) bounds_.erase(each);
    }
  }

  [[nodiscard]] bool has_some(const std::byte* from, std::size_t bytes) const noexcept {
    if (bytes == 0) return false;
    const auto next = bounds_.upper_bound(from);
    if (next != bounds_.begin() && std::prev(next)->second.over > 0) return true;
    // The next bound begins a range: one that ends there would be over `from`.
    return next != bounds_.end() && next->first < from + bytes;
  }

  [[nodiscard]] bool empty() const noexcept { return bounds_.empty(); }

 private:
  struct bound {
    std::size_t over = 0;    // ranges that have the bytes from here to the next bound
    std::size_t ranges = 0;  // that begin or end here
  };
  using place = std::map<const std::byte*, bound>::iterator;

  [[nodiscard]] place bound_at(const std::byte* address) {
    const auto next = bounds_.lower_bound(address);
    if (next != bounds_.end() && next->first == address) return next;
    const std::size_t over = next == bounds_.begin() ? 0 : std::prev(next)->second.over;
    return bounds_.emplace_hint(next, address, bound{.over = over});
  }

  std::map<const std::byte*, bound> bounds_;
};

}  // namespace pure::core
