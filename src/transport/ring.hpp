// The ring: the lock-free queue of records from one rank to one other (the paper's PureBufferQueue, 4.1.1). Its two
// ends, and what holds between them, are in ring_ends.hpp.
//
// One sender calls try_reserve and publish, one receiver calls front and pop; each side has an end of its own. The
// request for room is modelled by tests/model/room.pml.
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
#include "transport/ring_ends.hpp"
#include "transport/ring_memory.hpp"

namespace pure::core {

class ring {
 public:
  /// `bytes` is a power of two, at least 8 lines. Its lines are cut from `pages` if there are any, near the NUMA node
  /// of the caller, who touches them first; else they are taken from `memory`, if that is not null. Both outlive it.
  /// Throws std::bad_alloc.
  ring(int source, std::size_t bytes, huge_pages* pages = nullptr, ring_memory* memory = nullptr);
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring();

  /// The number (in the job) of the rank that sends here.
  [[nodiscard]] int source() const noexcept { return source_; }
  [[nodiscard]] std::size_t largest_record_lines() const noexcept { return out_.largest_record_lines(); }

  // ---- the sender's side ----

  /// As ring_sender has them.
  record* try_reserve(std::size_t lines) noexcept { return out_.try_reserve(lines); }
  [[nodiscard]] bool has_room(std::size_t lines) const noexcept { return out_.has_room(lines); }
  void publish(record& filled, std::size_t lines, record_kind kind) noexcept {
    out_.publish(filled, lines, static_cast<std::uint32_t>(kind));
  }

  /// Says that the sender has found the ring full; notify the receiver afterwards.
  void ask_for_room() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) wants_room_.store(true, std::memory_order_relaxed);
  }

  /// Now and then: gives the memory of the lines back if nothing has been sent since the last call, and all has been
  /// received, as far as the sender has been told. True if it has.
  bool give_back_unused() noexcept;

  // ---- the receiver's side ----

  /// True once after ask_for_room(): the receiver should make room, also for messages it has no receive for.
  bool room_is_wanted() noexcept {
    if (!wants_room_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    wants_room_.store(false, std::memory_order_relaxed);
    return true;
  }

  /// As ring_receiver has them. pop(): notify the sender if it is true.
  record* front() noexcept { return in_.front(); }
  bool pop(const record& done) noexcept { return in_.pop(done); }

  /// Now and then: tells the sender that all has been received, if nothing has come since the last call.
  void tell_if_idle() noexcept;

 private:
  ring(int source, std::size_t bytes, huge_pages* pages, ring_memory* memory, record* lines) noexcept;

  static constexpr auto wrap = static_cast<std::uint32_t>(record_kind::wrap);

  // --- of the sender ---
  alignas(pair_bytes) ring_sender<record, wrap> out_;
  std::uint64_t sent_before_ = 0;  // the last give_back_unused()
  bool is_given_back_ = true;      // nothing has been touched since
  // --- of the receiver ---
  alignas(pair_bytes) ring_receiver<record, wrap> in_;
  std::uint64_t received_before_ = 0;  // the last tell_if_idle()
  // --- and what the sender reads or writes rarely: when the ring is full, made, or idle ---
  std::atomic<bool> wants_room_{false};  // written by the sender, and by the receiver in answer
  const int source_;
  huge_pages* const pages_;    // whose lines these are; null: not on such
  ring_memory* const memory_;  // likewise; null, too: its own
  record* const lines_;
  const std::size_t bytes_;
  // --- written by the receiver once per quarter lap, read by the sender when the ring looks full ---
  alignas(pair_bytes) released_count<> released_{0};

 public:
  /// The intrusive list in which a new ring is announced to its receiver (inbox.hpp). Last: read once.
  ring* next_announced = nullptr;
};

}  // namespace pure::core
