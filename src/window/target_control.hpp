// What belongs to the memory of one rank of a window, beside that memory: its lock, its notifications, its stripes.
//
// It lies in memory that its owner touches first, and that processes of the machine may map: no pointers, and nothing
// that is not lock-free. Who finds that somebody sleeps wakes all ranks of the window (window_group::wake_all).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cache_line.hpp"
#include "window/lock_note.hpp"
#include "window/notification.hpp"
#include "window/stripe.hpp"
#include "window/window_lock.hpp"

namespace pure::core {

class alignas(line_bytes) target_control {
 public:
  static constexpr int notifications = 8;
  static constexpr std::size_t stripe_bytes = 4096;
  static constexpr std::size_t most_stripes = 256;

  /// What the control of a target with so many bytes of memory takes, with its stripes.
  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t target_bytes) noexcept {
    return sizeof(target_control) + stripes_for(target_bytes) * sizeof(stripe);
  }
  /// In zeroed memory of bytes_for() bytes or more, aligned to a line.
  static target_control& make(void* at, std::size_t target_bytes) noexcept {
    auto* const made = ::new (at) target_control(stripes_for(target_bytes));
    std::uninitialized_value_construct_n(made->stripes(), made->stripes_count_);
    return *made;
  }

  /// Of the memory around that byte of the target's.
  [[nodiscard]] stripe& stripe_of(std::size_t offset) noexcept {
    const std::size_t number = offset / stripe_bytes;
    return stripes()[number < stripes_count_ ? number : number % stripes_count_];  // a division takes long
  }
  [[nodiscard]] element_stripes stripes_of(std::size_t offset, std::size_t bytes) noexcept {
    return {stripe_of(offset), stripe_of(offset + bytes - 1)};
  }
  /// Bytes from there to the end of its stripe.
  [[nodiscard]] static constexpr std::size_t left_in_stripe(std::size_t offset) noexcept {
    return stripe_bytes - offset % stripe_bytes;
  }

  window_lock lock;

 private:
  explicit target_control(std::size_t stripes) noexcept : stripes_count_(stripes) {}

  [[nodiscard]] static constexpr std::size_t stripes_for(std::size_t target_bytes) noexcept {
    return std::clamp<std::size_t>((target_bytes + stripe_bytes - 1) / stripe_bytes, 1, most_stripes);
  }
  [[nodiscard]] stripe* stripes() noexcept { return reinterpret_cast<stripe*>(this + 1); }

  const std::size_t stripes_count_;

 public:
  /// A line each: their writers are other ranks.
  struct alignas(line_bytes) own_line : notification {};
  own_line notified[notifications];
  own_line ended_epochs;  // of its posts, by origins in processes that reach it by messages
  lock_note holder;
};

}  // namespace pure::core
