// A buffer of items: one cache line that says what it holds, then the items.
//
// It belongs to one rank at a time: to the sender until it is pushed, to the receiver from then on, who keeps the
// memory and fills it with items of its own. Sizes come in classes, so that any buffer of a class serves any channel;
// none holds more than a packet between processes does (gateway: 17 KiB with its headers).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"

namespace pure::core {

/// How much of what a sender has pushed to one receiver has been handled. Written by the receiver only.
///
/// `Atomic`: std::atomic, or that of tests/support/interleavings.hpp.
template <template <class> class Atomic>
class alignas(pair_bytes) basic_pair_credit {
 public:
  struct amount {
    std::uint64_t buffers = 0, bytes = 0;
  };

  /// The receiver, when it has handled a buffer. The sender may wait for that: notify it afterwards.
  void give_back(std::size_t bytes) noexcept {
    bytes_.store(bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
    // release: the bytes that belong to it; pairs with the acquire in given_back()
    buffers_.store(buffers_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// The sender. The bytes may be ahead of the buffers.
  [[nodiscard]] amount given_back() const noexcept {
    const std::uint64_t buffers = buffers_.load(std::memory_order_acquire);  // acquire: pairs with give_back()
    return {buffers, bytes_.load(std::memory_order_relaxed)};
  }

 private:
  Atomic<std::uint64_t> buffers_{0};
  Atomic<std::uint64_t> bytes_{0};
};

using pair_credit = basic_pair_credit<std::atomic>;

struct alignas(line_bytes) item_buffer {
  static constexpr std::size_t most_bytes = 17344;  // of items: what a packet between processes has room for
  static constexpr std::size_t classes = 6;
  static constexpr int several_sources = -1;
  static constexpr int here = -1;

  static constexpr std::size_t bytes_of_class(std::size_t number) noexcept {
    return number + 1 == classes ? most_bytes : std::size_t{512} << number;
  }
  /// The smallest that holds so much; bytes <= most_bytes.
  static constexpr std::uint8_t class_for(std::size_t bytes) noexcept {
    std::uint8_t number = 0;
    while (bytes_of_class(number) < bytes) ++number;
    return number;
  }

  item_buffer* next = nullptr;    // in a list
  pair_credit* credit = nullptr;  // of the sender, or of the process from which it came; null: it counts for none
  std::int64_t opened_ns = 0;     // when its first item was sent; 0: nobody wants to know
  std::uint64_t phase = 0;
  std::uint32_t count = 0;    // of items
  std::int32_t source = 0;    // a rank of the communicator, or several_sources: a number for each item lies behind them
  std::uint32_t channel = 0;  // in the order of their making
  std::int32_t from_process = here;  // as the part numbers them
  std::uint8_t size_class = 0;
  bool is_urgent = false;

  [[nodiscard]] std::byte* items() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] std::size_t room() const noexcept { return bytes_of_class(size_class); }
  /// What it counts for in the memory cap.
  [[nodiscard]] std::size_t whole_bytes() const noexcept { return bytes_with_head(size_class); }
  static constexpr std::size_t bytes_with_head(std::size_t number) noexcept {
    return sizeof(item_buffer) + bytes_of_class(number);
  }

  /// The sources of the items, where these are several: 2 bytes each, from the first even address behind the items on.
  [[nodiscard]] std::byte* sources(std::size_t item_bytes) noexcept {
    return items() + (count * item_bytes + 1) / 2 * 2;
  }
  [[nodiscard]] int source_of(std::size_t index, std::size_t item_bytes) noexcept {
    std::uint16_t number;
    std::memcpy(&number, sources(item_bytes) + index * sizeof number, sizeof number);
    return number;
  }
};
static_assert(sizeof(item_buffer) == line_bytes);
static_assert(item_buffer::most_bytes % line_bytes == 0);

}  // namespace pure::core
