// What the rooms have counted up and not counted down again, by name.
//
// Whoever counts something that others have to give back (credits, bytes that are held, messages under way) tells it
// here. Where all is done nothing is left: an account that is still open then is a leak, or a count that is off by one,
// which no message would show for long. The tests ask at the end of their programs (tests/support/job_over_world.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace pure::core {

class open_accounts {
 public:
  /// `amount`: what is left of it; 0 is what it shall be.
  void add(std::string_view name, std::uint64_t amount) {
    if (amount == 0) return;
    text_ += fmt::format("{}{} {}", text_.empty() ? "" : ", ", amount, name);
  }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// "3 packets on their way, 120 unrequested bytes"
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace pure::core
