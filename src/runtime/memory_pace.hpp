// How often a rank looks for memory that it has not used for some time, to give it back. Each look takes about as long
// as a message for each pair, so after one in vain the next comes twice as late, and soon again where there was some.
// Own thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pure::core {

class memory_pace {
 public:
  static constexpr std::int64_t shortest_ns = 1'000'000'000, longest_ns = 4'000'000'000;

  /// In a wait, at a time of base/clock.hpp that is not 0. Not at the first.
  [[nodiscard]] bool is_due(std::int64_t now_ns) noexcept {
    if (now_ns < next_ns_) [[likely]]
      return false;
    const bool is_first = next_ns_ == 0;
    next_ns_ = now_ns + after_ns_;
    return !is_first;
  }

  /// The rank has looked.
  void has_looked(bool has_given_back) noexcept {
    next_ns_ -= after_ns_;
    after_ns_ = has_given_back ? shortest_ns : std::min(2 * after_ns_, longest_ns);
    next_ns_ += after_ns_;
  }

 private:
  std::int64_t next_ns_ = 0;
  std::int64_t after_ns_ = shortest_ns;
};

}  // namespace pure::core
