// The ring: the lock-free queue of records from one rank to one other (the paper's PureBufferQueue, 4.1.1).
//
//      line    0     1     2     3     4     5     6     7
//           +-----+-----------+-----+-----+-----------------+
//           |  C  |     D     |  E  |  0  |  ...  B (old)    |     A record is whole lines; its first 4 bytes are the
//           +-----+-----------+-----+-----+-----------------+     ready mark.
//                    ^ head_               ^ tail_
//
// One sender calls try_reserve and publish, one receiver calls front and pop; each side's fields are its own. Records
// do not wrap around the end: where one does not fit, a record of kind `wrap` sends the receiver to line 0.
//
// Invariants (tests/model/ring.pml):
//  1. The mark at tail_ is 0 until the record there is published. Payload bytes of an earlier lap cannot look like a
//     mark, because the sender clears the line after a record before it publishes the record (in try_reserve).
//  2. So a reservation needs one line more than the record, and that line is the receiver's no longer.
//  3. head_ - released_ < a quarter of the ring: a receiver that has drained the ring leaves three quarters free in
//     the sender's eyes. The largest record is a quarter, its wrap loses less than a quarter: a waiting sender always
//     gets its turn.
//
// Cache-line transfers of a one-line message: the record's line, from the receiver's cache to be written and back to be
// read. The line that is cleared is the next message's, fetched one message early; released_ moves once per quarter
// lap. (A lap number in every line would save the clearing, 5 to 10 ns of 110, and cost every payload its contiguity.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "transport/record.hpp"

namespace pure::core {

class ring {
 public:
  /// `bytes` is a power of two, at least 8 lines. Throws std::bad_alloc.
  ring(int source, std::size_t bytes);
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring();

  /// The number (in the job) of the rank that sends here.
  [[nodiscard]] int source() const noexcept { return source_; }
  [[nodiscard]] std::size_t largest_record_lines() const noexcept { return (mask_ + 1) / 4; }

  // ---- the sender's side ----

  /// A place for a record of `lines` <= largest_record_lines() lines, or null if the ring is full. Fill in everything
  /// but the mark, then publish it; nothing else may be reserved before.
  record* try_reserve(std::size_t lines) noexcept {
    const std::size_t to_end = mask_ + 1 - (tail_ & mask_);
    const std::size_t wasted = lines <= to_end ? 0 : to_end;
    const std::size_t needed = wasted + lines + 1;
    if (tail_ + needed > seen_released_ + mask_ + 1) [[unlikely]] {
      // acquire: the receiver is done with those lines; pairs with the release in pop()
      seen_released_ = released_.load(std::memory_order_acquire);
      if (tail_ + needed > seen_released_ + mask_ + 1) return nullptr;
    }
    if (wasted != 0) [[unlikely]] skip_to_start(wasted);
    // Now, not in publish(): between stores to the record's line, a store to another line leaves time for the receiver
    // to take the record's line away half written (117 against 126 ns half round trip).
    line(tail_ + lines)->mark.store(0, std::memory_order_relaxed);
    return line(tail_);
  }

  /// Hands the record that try_reserve(lines) gave to the receiver.
  void publish(record& filled, std::size_t lines, record_kind kind) noexcept {
    tail_ += lines;
    // release: publishes the record and the cleared mark after it; pairs with the acquire in front()
    filled.mark.store(record::make_mark(static_cast<std::uint32_t>(lines), kind), std::memory_order_release);
  }

  /// Says that the sender has found the ring full; notify the receiver afterwards.
  void ask_for_room() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) wants_room_.store(true, std::memory_order_relaxed);
  }

  // ---- the receiver's side ----

  /// True once after ask_for_room(): the receiver should make room, also for messages it has no receive for.
  bool room_is_wanted() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) [[likely]] return false;
    wants_room_.store(false, std::memory_order_relaxed);
    return true;
  }

  /// The oldest record, or null if none is ready.
  record* front() noexcept {
    for (;;) {
      record* const next = line(head_);
      // acquire: the record's contents; pairs with the release in publish()
      const std::uint32_t mark = next->mark.load(std::memory_order_acquire);
      if (mark == 0) return nullptr;
      if (record::kind_in(mark) != record_kind::wrap) [[likely]] return next;
      head_ += record::lines_in(mark);
    }
  }

  /// Gives front()'s lines back; the record is invalid afterwards. True when the sender may be waiting for the room:
  /// notify it.
  bool pop(const record& done) noexcept {
    head_ += record::lines_in(done.mark.load(std::memory_order_relaxed));
    if (head_ - last_released_ < (mask_ + 1) / 4) [[likely]] return false;
    last_released_ = head_;
    // release: the receiver has read those lines; pairs with the acquire in try_reserve()
    released_.store(head_, std::memory_order_release);
    return true;
  }

  /// The intrusive list in which a new ring is announced to its receiver (inbox.hpp).
  ring* next_announced = nullptr;

 private:
  [[nodiscard]] record* line(std::uint64_t count) const noexcept { return lines_ + (count & mask_); }
  void skip_to_start(std::size_t wasted) noexcept;

  // --- constant ---
  record* lines_;
  std::uint64_t mask_;  // lines in the ring, less one
  int source_;
  // --- written by the sender; counts of lines since the start, never wrapped ---
  alignas(pair_bytes) std::uint64_t tail_ = 0;
  std::uint64_t seen_released_ = 0;  // the sender's latest look at released_
  // --- written by the receiver ---
  alignas(pair_bytes) std::uint64_t head_ = 0;
  std::uint64_t last_released_ = 0;
  // --- written by the receiver once per quarter lap, read by the sender when the ring looks full ---
  alignas(pair_bytes) std::atomic<std::uint64_t> released_{0};
  // --- written by the sender when the ring is full, and by the receiver in answer ---
  alignas(pair_bytes) std::atomic<bool> wants_room_{false};
};

}  // namespace pure::core
