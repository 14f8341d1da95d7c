// What the buffers and packets of a rank take, which the memory cap bounds.
//
// What always holds: bytes are in use from when a buffer or packet is opened until it is dropped unused, a packet is
// pushed, or a buffer that was pushed has come back, handled. Packets that have been pushed, and found no room on their
// way, count beside: outgoing_packets has their bytes. At the end of a phase all are zero. Own thread of the rank only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "aggregation/item_buffer.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class memory_account {
 public:
  /// `waiting_bytes`: of the rank's packets that have found no room.
  memory_account(std::size_t cap, const std::atomic<std::size_t>& waiting_bytes) noexcept
      : cap_(cap), waiting_bytes_(waiting_bytes) {}

  void open_buffer(std::size_t bytes) noexcept {
    ++open_buffers_;
    bytes_ += bytes;
  }
  /// An open one that is not pushed: its memory serves others.
  void drop_buffer(std::size_t bytes) noexcept {
    --open_buffers_;
    bytes_ -= bytes;
  }
  /// The bytes are in use until come_back().
  void push_buffer() noexcept { --open_buffers_; }
  void come_back(std::size_t bytes) noexcept { bytes_ -= bytes; }
  void open_packet(std::size_t bytes) noexcept {
    ++open_packets_;
    bytes_ += bytes;
  }
  void push_packet(std::size_t bytes) noexcept {
    --open_packets_;
    bytes_ -= bytes;
  }

  [[nodiscard]] std::size_t in_use() const noexcept { return bytes_ + waiting_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_at_cap() const noexcept { return in_use() >= cap_; }
  /// For one more of the largest.
  [[nodiscard]] bool has_room_for_another() const noexcept {
    constexpr std::size_t largest = item_buffer::bytes_with_head(item_buffer::classes - 1);
    return in_use() <= cap_ - largest;
  }
  [[nodiscard]] std::size_t open_buffers() const noexcept { return open_buffers_; }
  [[nodiscard]] bool has_open() const noexcept { return open_buffers_ + open_packets_ > 0; }

  /// Behind whatever takes memory. look() finds out what has come back, and is asked only where that changes something.
  template <class Look>
  void note_peak(Look look) {
    if (in_use() <= peak_bytes_) return;
    look();
    const std::size_t now = in_use();
    peak_bytes_ = std::max(peak_bytes_, now);
    if (now > cap_) over_cap_bytes_ = std::max(over_cap_bytes_, now - cap_);
  }
  [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_bytes_; }
  [[nodiscard]] std::size_t over_cap_bytes() const noexcept { return over_cap_bytes_; }

  void add_open_accounts(open_accounts& to) const {
    to.add("bytes of buffers and packets in use", in_use());
    to.add("open buffers", open_buffers_);
    to.add("open packets", open_packets_);
  }

 private:
  const std::size_t cap_;
  const std::atomic<std::size_t>& waiting_bytes_;
  std::size_t bytes_ = 0;
  std::size_t open_buffers_ = 0;
  std::size_t open_packets_ = 0;
  std::size_t peak_bytes_ = 0;
  std::size_t over_cap_bytes_ = 0;
};

}  // namespace pure::core
