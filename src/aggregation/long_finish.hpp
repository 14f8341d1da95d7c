// A finish that goes on while all ranks only handle items may never end: handlers that send for ever. No wait of
// anybody shows that, so the ranks that handle look at the clock, and one of them says so, once.
//
// Belongs to a rank's call of finish.
#pragma once

#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace pure::core {

class long_finish {
 public:
  static constexpr int looks_between = 64;  // at the clock
  static constexpr int usual_s = 10;

  /// `asked_s`: PURE_HANG_TIMEOUT; 0: the usual time. `handled`: items, by this rank.
  long_finish(int asked_s, std::uint64_t handled) noexcept
      : limit_ns_(std::int64_t{asked_s != 0 ? asked_s : usual_s} * second_ns), last_handled_(handled) {}

  /// Now and then. `have_all_called()`: whether all ranks of this process have called finish. True if that has been so
  /// for the whole time, and this rank has handled items at every look.
  template <class HaveAllCalled, class Clock = std::int64_t (*)()>
  [[nodiscard]] bool look(
      std::uint64_t handled, HaveAllCalled have_all_called, Clock clock = [] { return now_ns(); }) {
    if (++looks_ % looks_between != 0) return false;
    const bool has_handled = handled != std::exchange(last_handled_, handled);
    if (!has_handled || !have_all_called()) {
      since_ns_ = 0;
      return false;
    }
    const std::int64_t now = clock();
    if (since_ns_ == 0) {
      since_ns_ = now;
      handled_before_ = handled;
    }
    return now - since_ns_ > limit_ns_;
  }
  [[nodiscard]] std::int64_t limit_s() const noexcept { return limit_ns_ / second_ns; }
  [[nodiscard]] std::uint64_t handled_since(std::uint64_t handled) const noexcept { return handled - handled_before_; }

 private:
  static constexpr std::int64_t second_ns = 1'000'000'000;

  const std::int64_t limit_ns_;
  std::int64_t since_ns_ = 0;
  std::uint64_t last_handled_, handled_before_ = 0;
  unsigned looks_ = 0;
};

}  // namespace pure::core
