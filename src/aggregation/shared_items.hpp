// Scheme pp: the items of all ranks of a process, of one channel, for one other process, until they fill a packet. Also
// of scheme automatic, for ranks that do not fill packets alone.
//
// Ranks bring them in chunks, under a lock that is held for the copy of a chunk. (The paper's workers reserve places
// with atomic additions, one for each item or chunk; a buffer that is filled, handled and used again while a worker
// still holds an old reservation is then one more state to get right.) Any rank of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "aggregation/packet_writer.hpp"

namespace pure::core {

class shared_items {
 public:
  /// `filled`: counts those that have items.
  shared_items(std::size_t channel, std::size_t item_bytes, std::size_t capacity, std::size_t targets,
               std::atomic<std::size_t>& filled)
      : channel_(channel), filled_(filled), items_(item_scheme::pp, item_bytes, capacity, targets) {}

  /// All items of `chunk`, which is empty then; send(packet) for each packet that they fill. Under the lock, so that
  /// packets leave in the order in which they were filled: items of one source do not overtake each other.
  template <class Send>
  void add(packet_writer& chunk, std::uint32_t phase, Send send) {
    const std::lock_guard lock(guard_);
    const bool was_empty = items_.size() == 0;
    phase_ = phase;
    for (std::size_t first = 0; first < chunk.size();) {
      first += items_.take_from(chunk, first);
      if (items_.is_full()) send(items_.take_packet(head()));
    }
    chunk.clear();
    if (was_empty && items_.size() > 0) {
      filled_.fetch_add(1, std::memory_order_relaxed);
    } else if (!was_empty && items_.size() == 0) {
      filled_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  /// What there is. False: nothing.
  template <class Send>
  bool push_rest(Send send) {
    const std::lock_guard lock(guard_);
    if (items_.size() == 0) return false;
    filled_.fetch_sub(1, std::memory_order_relaxed);
    send(items_.take_packet(head()));
    return true;
  }

 private:
  [[nodiscard]] packet_head head() const noexcept {
    return {.channel = static_cast<std::uint16_t>(channel_), .phase = phase_};
  }

  const std::size_t channel_;
  std::atomic<std::size_t>& filled_;
  std::mutex guard_;
  packet_writer items_;
  std::uint32_t phase_ = 0;
};

}  // namespace pure::core
