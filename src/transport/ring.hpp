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
// Invariants (tests/model/ring.pml; the request for room: room.pml):
//  1. The mark at tail_ is not ready until the record there is published: it is 0, or that of a record of the lap
//  before,
//     which has the other lap's bit. Any other line may hold payload that looks like a mark; the sender clears it
//     before it publishes the record in front of it (in try_reserve).
//  2. So a reservation needs one line more than the record, and that line is the receiver's no longer.
//  3. head_ - released_ < a quarter of the ring: a receiver that has drained the ring leaves three quarters free in
//     the sender's eyes. The largest record is a quarter, its wrap loses less than a quarter: a waiting sender always
//     gets its turn.
//
// Cache-line transfers of a one-line message: the record's line, from the receiver's cache to be written and back to be
// read; released_ moves once per quarter lap. A line that must be cleared costs more than its fetch: it is the
// neighbour of the line that the receiver polls, and processors fetch lines in pairs. That is why one-line records, the
// most common, clear nothing after one lap (D-lap-marks).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "machine/huge_pages.hpp"
#include "transport/record.hpp"

namespace pure::core {

class ring {
 public:
  /// `bytes` is a power of two, at least 8 lines. Its lines are cut from `pages`, which outlives it, if there are any:
  /// near the NUMA node of the caller, who touches them first. Throws std::bad_alloc.
  ring(int source, std::size_t bytes, huge_pages* pages = nullptr);
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
    const std::uint64_t tail = tail_;
    if (tail + lines > room_until_) [[unlikely]]
      return reserve_behind_room(lines);
    clear_mark_at(tail + lines);
    return line(tail);
  }

  /// Hands the record that try_reserve(lines) gave to the receiver.
  void publish(record& filled, std::size_t lines, record_kind kind) noexcept {
    const std::uint32_t lap = lap_bit(tail_);
    tail_ += lines;
    if (lines > 1) payload_until_ = tail_;
    // release: publishes the record and the cleared mark after it; pairs with the acquire in front()
    filled.mark.store(record::make_mark(static_cast<std::uint32_t>(lines), kind, lap), std::memory_order_release);
  }

  /// Says that the sender has found the ring full; notify the receiver afterwards.
  void ask_for_room() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) wants_room_.store(true, std::memory_order_relaxed);
  }

  // ---- the receiver's side ----

  /// True once after ask_for_room(): the receiver should make room, also for messages it has no receive for.
  bool room_is_wanted() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    wants_room_.store(false, std::memory_order_relaxed);
    return true;
  }

  /// The oldest record, or null if none is ready.
  record* front() noexcept {
    for (;;) {
      record* const next = line(head_);
      // acquire: the record's contents; pairs with the release in publish()
      const std::uint32_t mark = next->mark.load(std::memory_order_acquire);
      if ((mark & lap_bit(head_)) == 0) return nullptr;
      if (record::kind_in(mark) != record_kind::wrap) [[likely]]
        return next;
      head_ += record::lines_in(mark);
    }
  }

  /// Gives front()'s lines back; the record is invalid afterwards. True when the sender may be waiting for the room:
  /// notify it.
  bool pop(const record& done) noexcept {
    head_ += record::lines_in(done.mark.load(std::memory_order_relaxed));
    if (head_ < release_at_) [[likely]]
      return false;
    release_at_ = head_ + (mask_ + 1) / 4;
    // release: the receiver has read those lines; pairs with the acquire in reserve_behind_room()
    released_.store(head_, std::memory_order_release);
    return true;
  }

  /// The intrusive list in which a new ring is announced to its receiver (inbox.hpp).
  ring* next_announced = nullptr;

 private:
  [[nodiscard]] record* line(std::uint64_t count) const noexcept { return lines_ + (count & mask_); }
  /// The bit in the marks of a lap. Two are enough: an older mark than that of the lap before is never left (1.).
  [[nodiscard]] std::uint32_t lap_bit(std::uint64_t count) const noexcept {
    return (count & (mask_ + 1)) == 0 ? record::even_lap : record::odd_lap;
  }
  void clear_mark_at(std::uint64_t count) noexcept {
    // Before publish(), between whose stores to the record's line a store to another line would leave the receiver time
    // to take the record's line away half written.
    if (count < payload_until_ + mask_ + 1) line(count)->mark.store(0, std::memory_order_relaxed);
  }
  record* reserve_behind_room(std::size_t lines) noexcept;
  void skip_to_start(std::size_t wasted) noexcept;

  // --- constant ---
  huge_pages* const pages_;  // whose lines these are; null: its own
  record* const lines_;
  const std::uint64_t mask_;  // lines in the ring, less one
  const int source_;
  // --- written by the sender; counts of lines since the start, never wrapped ---
  alignas(pair_bytes) std::uint64_t tail_ = 0;
  std::uint64_t room_until_;         // a record that ends here or before fits into the lap and the free lines
  std::uint64_t payload_until_ = 0;  // from here to tail_ every line begins a record
  // --- written by the receiver ---
  alignas(pair_bytes) std::uint64_t head_ = 0;
  std::uint64_t release_at_;  // the value of head_ at which released_ moves
  // --- written by the receiver once per quarter lap, read by the sender when the ring looks full ---
  alignas(pair_bytes) std::atomic<std::uint64_t> released_{0};
  // --- written by the sender when the ring is full, and by the receiver in answer ---
  alignas(pair_bytes) std::atomic<bool> wants_room_{false};
};

}  // namespace pure::core
