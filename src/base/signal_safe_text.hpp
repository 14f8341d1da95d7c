// A line of text built and written (base/output.hpp) without allocation or locks: for signal handlers.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/output.hpp"

namespace pure::core {

class signal_safe_text {
 public:
  struct hexadecimal {
    std::uint64_t value;
  };

  signal_safe_text& operator<<(const char* text) noexcept {
    for (; *text != '\0'; ++text) put(*text);
    return *this;
  }
  signal_safe_text& operator<<(std::integral auto number) noexcept {
    if (number < 0) put('-');
    const auto magnitude = static_cast<std::uint64_t>(number < 0 ? -number : number);
    return digits(magnitude, 10);
  }
  signal_safe_text& operator<<(hexadecimal number) noexcept {
    *this << "0x";
    return digits(number.value, 16);
  }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), length_}; }
  /// Writes what was built, as far as the descriptor takes it.
  void write_to(int descriptor) const noexcept { show(descriptor, {text()}); }
  /// The same, to stderr.
  void say() const noexcept { say_plain({text()}); }

 private:
  void put(char c) noexcept {
    if (length_ < text_.size()) text_[length_++] = c;
  }
  signal_safe_text& digits(std::uint64_t value, unsigned base) noexcept {
    char reversed[20];
    int count = 0;
    do {
      reversed[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) put(reversed[--count]);
    return *this;
  }

  std::array<char, 512> text_{};
  std::size_t length_ = 0;
};

}  // namespace pure::core
