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

  /// At a time of base/clock.hpp. Already in the first wait: a look finds what a later one compares with.
  [[nodiscard]] bool is_due(std::int64_t now_ns) const noexcept { return now_ns >= next_ns_; }

  /// The rank has looked at that time.
  void has_looked(std::int64_t now_ns, bool has_given_back) noexcept {
    after_ns_ = has_given_back ? shortest_ns : std::min(2 * after_ns_, longest_ns);
    next_ns_ = now_ns + after_ns_;
  }

 private:
  std::int64_t next_ns_ = 0;
  std::int64_t after_ns_ = shortest_ns / 2;
};

}  // namespace pure::core
