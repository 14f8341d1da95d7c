// A line of text built and written without allocation or locks: for signal handlers.
#pragma once

#include <unistd.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

  /// Writes what was built, as far as the descriptor takes it.
  void write_to(int descriptor) const noexcept {
    for (std::size_t done = 0; done < length_;) {
      const ssize_t wrote = ::write(descriptor, text_.data() + done, length_ - done);
      if (wrote <= 0) return;
      done += static_cast<std::size_t>(wrote);
    }
  }

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
