// The two ends of a queue of records in a ring of lines, one sender and one receiver. Each end's state is its own; what
// both see is the lines, and one count. So the ends may be threads (transport/ring.hpp) or processes that map the lines
// at different addresses (net_shm/pair_ring.hpp).
//
//      line    0     1     2     3     4     5     6     7
//           +-----+-----------+-----+-----+-----------------+
//           |  C  |     D     |  E  |  0  |  ...  B (old)    |     A record is whole lines; its first 4 bytes are the
//           +-----+-----------+-----+-----+-----------------+     ready mark.
//                    ^ head_               ^ tail_
//
// Records do not wrap around the end: where one does not fit, a mark of kind `wrap` sends the receiver to line 0.
//
// Modelled by tests/model/ring.pml, room.pml. Invariants:
//  1. The mark at tail_ is not ready until the record there is published: it is 0, or that of a record of the lap
//     before, which has the other lap's bit. Any other line may hold payload that looks like a mark; the sender clears
//     it before it publishes the record in front of it (in try_reserve).
//     A reservation that is never published, or replaced by a shorter one, leaves nothing behind: what it has skipped
//     counts as payload from then on (payload_until_).
//  2. So a reservation needs one line more than the record, and that line is the receiver's no longer.
//  3. head_ - released < a quarter of the ring: a receiver that has drained the ring leaves three quarters free in the
//     sender's eyes. The largest record is a quarter, its wrap loses less than a quarter: a waiting sender always gets
//     its turn.
//  4. Where released is tail_, the receiver reads no line but the one at tail_, whose mark is not ready, and the sender
//     may give the memory of all lines back, which are zeros then.
//
// `Record`: a line whose first member is `mark`, an atomic of 4 bytes. Line 0 has to read as 0 before anything is sent.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pure::core {

/// What the first 4 bytes of a record say: its length in lines, its kind, and the lap in which it is ready; 0 in none.
struct ring_mark {
  static constexpr std::uint32_t even_lap = 1U << 30;
  static constexpr std::uint32_t odd_lap = 1U << 31;
  static constexpr std::uint32_t kinds = 8;

  static constexpr std::uint32_t of(std::uint32_t lines, std::uint32_t kind, std::uint32_t lap) noexcept {
    return lines | (kind << kind_shift) | lap;
  }
  static constexpr std::uint32_t lines_in(std::uint32_t mark) noexcept { return mark & lines_mask; }
  static constexpr std::uint32_t kind_in(std::uint32_t mark) noexcept { return (mark >> kind_shift) & (kinds - 1); }
  /// Of the lap that begins with, or holds, the line of that count, in a ring of `lines`, a power of two. Two bits are
  /// enough: an older mark than that of the lap before is never left (invariant 1).
  static constexpr std::uint32_t lap_of(std::uint64_t count, std::uint64_t lines) noexcept {
    return (count & lines) == 0 ? even_lap : odd_lap;
  }

 private:
  static constexpr std::uint32_t kind_shift = 27;
  static constexpr std::uint32_t lines_mask = (1U << kind_shift) - 1;
};

/// How far the receiver is, in counts of lines since the start that never wrap: the only thing that it tells.
template <template <class> class Atomic = std::atomic>
using released_count = Atomic<std::uint64_t>;

template <class Record, std::uint32_t wrap, template <class> class Atomic = std::atomic>
class ring_sender {
 public:
  ring_sender(Record* lines, std::size_t count, const released_count<Atomic>& released) noexcept
      : lines_(lines), mask_(count - 1), released_(&released), room_until_(mask_) {}

  [[nodiscard]] std::size_t largest_record_lines() const noexcept { return (mask_ + 1) / 4; }

  /// A place for a record of `lines` <= largest_record_lines() lines, or null if the ring is full. Fill in everything
  /// but the mark, then publish it. Whoever reserves again before that gives the first reservation up: then
  /// nothing may have been written behind its first line.
  Record* try_reserve(std::size_t lines) noexcept {
    const std::uint64_t tail = tail_;
    if (tail + lines > room_until_) [[unlikely]]
      return reserve_behind_room(lines);
    clear_mark_at(tail + lines);
    return line(tail);
  }

  /// Whether try_reserve(lines) would give a place now.
  [[nodiscard]] bool has_room(std::size_t lines) const noexcept {
    return tail_ + lines <= room_until_ || tail_ + wasted_before(lines) + lines < free_until();
  }

  /// Hands the record that the last try_reserve() gave, of as many lines, to the receiver.
  void publish(Record& filled, std::size_t lines, std::uint32_t kind) noexcept {
    assert(&filled == line(tail_) && (is_explored || !is_ready(tail_ + lines)));
    const std::uint32_t lap = ring_mark::lap_of(tail_, mask_ + 1);
    tail_ += lines;
    if (lines > 1) payload_until_ = tail_;  // not in try_reserve: D-payload-until
    // release: publishes the record and the cleared mark after it; pairs with the acquire in ring_receiver::front()
    filled.mark.store(ring_mark::of(static_cast<std::uint32_t>(lines), kind, lap), std::memory_order_release);
  }

  /// The count of lines that have been sent.
  [[nodiscard]] std::uint64_t sent() const noexcept { return tail_; }
  /// True if the receiver has said that it has read all of them: then all lines may become zeros, for a 0 is the mark
  /// of no record in any lap, and no line holds anything that is needed (invariant 4).
  [[nodiscard]] bool is_all_received() const noexcept {
    // acquire: the receiver is done with all lines; pairs with pop() and tell()
    return released_->load(std::memory_order_acquire) == tail_;
  }

 private:
  [[nodiscard]] Record* line(std::uint64_t count) const noexcept { return lines_ + (count & mask_); }
  void clear_mark_at(std::uint64_t count) noexcept {
    // Before publish(), between whose stores to the record's line a store to another line would leave the receiver time
    // to take the record's line away half written.
    if (count < payload_until_ + mask_ + 1) line(count)->mark.store(0, std::memory_order_relaxed);
  }

  /// By a test in every order of its steps, of which a look more makes many more: there the receiver finds what is
  /// wrong.
  static constexpr bool is_explored = !std::is_same_v<released_count<Atomic>, std::atomic<std::uint64_t>>;

  /// Whether the mark there is that of a record of its lap (invariant 1).
  [[nodiscard]] bool is_ready(std::uint64_t count) const noexcept {
    return (line(count)->mark.load(std::memory_order_relaxed) & ring_mark::lap_of(count, mask_ + 1)) != 0;
  }
  /// How many lines a record of `lines` leaves unused at the end of the ring.
  [[nodiscard]] std::uint64_t wasted_before(std::size_t lines) const noexcept {
    const std::uint64_t to_end = mask_ + 1 - (tail_ & mask_);
    return lines <= to_end ? 0 : to_end;
  }
  [[nodiscard]] std::uint64_t free_until() const noexcept {
    // acquire: the receiver is done with those lines; pairs with the release in ring_receiver::pop()
    return released_->load(std::memory_order_acquire) + mask_ + 1;
  }

  /// try_reserve() for a record that does not end before room_until_: looks how much room there is now.
  Record* reserve_behind_room(std::size_t lines) noexcept {
    const std::uint64_t wasted = wasted_before(lines);
    const std::uint64_t until = free_until();
    if (tail_ + wasted + lines >= until) return nullptr;
    if (wasted != 0) skip_to_start(wasted);
    const std::uint64_t end_of_lap = (tail_ & ~mask_) + mask_ + 1;
    room_until_ = std::min(end_of_lap, until - 1);
    clear_mark_at(tail_ + lines);
    return line(tail_);
  }

  void skip_to_start(std::size_t wasted) noexcept {
    Record* const skipped = line(tail_);
    const std::uint32_t lap = ring_mark::lap_of(tail_, mask_ + 1);
    tail_ += wasted;
    payload_until_ = tail_;  // now: what is published at line 0 may be another record than the one that is reserved
    // relaxed: it says nothing of other lines. Line 0 holds a mark of the lap before.
    skipped->mark.store(ring_mark::of(static_cast<std::uint32_t>(wasted), wrap, lap), std::memory_order_relaxed);
  }

  Record* lines_;
  std::uint64_t mask_;  // lines in the ring, less one
  const released_count<Atomic>* released_;
  std::uint64_t tail_ = 0;
  std::uint64_t room_until_;         // a record that ends here or before fits into the lap and the free lines
  std::uint64_t payload_until_ = 0;  // from here to tail_ every line begins a record
};

template <class Record, std::uint32_t wrap, template <class> class Atomic = std::atomic>
class ring_receiver {
 public:
  ring_receiver(Record* lines, std::size_t count, released_count<Atomic>& released) noexcept
      : lines_(lines), mask_(count - 1), released_(&released), release_at_(count / 4) {}

  /// The oldest record, or null if none is ready.
  Record* front() noexcept {
    for (;;) {
      Record* const next = line(head_);
      // acquire: the record's contents; pairs with the release in ring_sender::publish()
      const std::uint32_t mark = next->mark.load(std::memory_order_acquire);
      if ((mark & ring_mark::lap_of(head_, mask_ + 1)) == 0) return nullptr;
      if (ring_mark::kind_in(mark) != wrap) [[likely]]
        return next;
      head_ += ring_mark::lines_in(mark);
    }
  }

  /// Gives front()'s lines back; the record is invalid afterwards. True when the sender may be waiting for the room.
  bool pop(const Record& done) noexcept {
    head_ += ring_mark::lines_in(done.mark.load(std::memory_order_relaxed));
    if (head_ < release_at_) [[likely]]
      return false;
    release_at_ = head_ + (mask_ + 1) / 4;
    // release: the receiver has read those lines; pairs with the acquire in ring_sender::free_until()
    released_->store(head_, std::memory_order_release);
    return true;
  }

  /// The count of lines that have been received.
  [[nodiscard]] std::uint64_t received() const noexcept { return head_; }
  /// Tells the sender how far the receiver is, if it does not know, though that is less than a quarter further.
  void tell() noexcept {
    if (release_at_ == head_ + (mask_ + 1) / 4) return;
    release_at_ = head_ + (mask_ + 1) / 4;
    released_->store(head_, std::memory_order_release);  // release: as in pop()
  }

 private:
  [[nodiscard]] Record* line(std::uint64_t count) const noexcept { return lines_ + (count & mask_); }

  Record* lines_;
  std::uint64_t mask_;
  released_count<Atomic>* released_;
  std::uint64_t head_ = 0;
  std::uint64_t release_at_;  // the value of head_ at which released moves
};

}  // namespace pure::core
