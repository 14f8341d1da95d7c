// When to warn of waits that last: after PURE_HANG_TIMEOUT, or what a hang that foreign threads keep from ending the
// job gets by default; and each time that the longest wait is twice as long. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pure::core {

class warning_pace {
 public:
  static constexpr std::int64_t second_ns = 1'000'000'000;
  static constexpr int default_timeout_s = 10;

  /// `longest_ns`: the longest wait now. `asked_s`: PURE_HANG_TIMEOUT; 0: the default.
  bool is_time(std::int64_t longest_ns, int asked_s) noexcept {
    const std::int64_t timeout_ns = (asked_s != 0 ? asked_s : default_timeout_s) * second_ns;
    if (longest_ns < timeout_ns) warn_after_ns_ = 0;
    warn_after_ns_ = std::max(warn_after_ns_, timeout_ns);
    if (longest_ns < warn_after_ns_) return false;
    while (warn_after_ns_ <= longest_ns) warn_after_ns_ *= 2;
    return true;
  }
  /// After which wait the next warning comes.
  [[nodiscard]] std::int64_t next_s() const noexcept { return warn_after_ns_ / second_ns; }

 private:
  std::int64_t warn_after_ns_ = 0;  // at least the time-out
};

}  // namespace pure::core
