// The bytes of a message in blocks of eight that lie apart, with bytes of nobody between them.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "layout/layout.hpp"

namespace test_support {

class scattered_bytes {
 public:
  /// `bytes` of a message, its blocks `stride` >= 8 bytes apart; no byte of memory more than that. What is between them
  /// holds `fence`.
  scattered_bytes(std::size_t bytes, std::size_t stride)
      : stride_(stride),
        form_(pure::core::layout(block_bytes).resized(0, static_cast<std::ptrdiff_t>(stride))),
        size_(bytes == 0 ? 0 : offset_of(bytes - 1) + 1),
        memory_(new std::byte[size_]) {
    clear();
  }

  [[nodiscard]] std::byte* data() noexcept { return memory_.get(); }
  /// Null where they lie in a row.
  [[nodiscard]] const pure::core::layout* form() const noexcept { return stride_ == block_bytes ? nullptr : &form_; }
  std::byte& operator[](std::size_t number) noexcept { return memory_[offset_of(number)]; }
  void clear() noexcept {
    if (size_ > 0) std::memset(memory_.get(), static_cast<int>(fence), size_);
  }

  /// Byte i is value(i), and all between them is as it was.
  template <class Value>
  [[nodiscard]] bool holds(Value value) const {
    for (std::size_t at = 0; at < size_; ++at) {
      const std::size_t in_block = at % stride_;
      const bool is_between = in_block >= block_bytes;
      if (memory_[at] != (is_between ? fence : value(at / stride_ * block_bytes + in_block))) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t block_bytes = 8;
  static constexpr std::byte fence{0xA5};
  [[nodiscard]] std::size_t offset_of(std::size_t number) const noexcept {
    return number / block_bytes * stride_ + number % block_bytes;
  }

  std::size_t stride_;
  pure::core::layout form_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace test_support
