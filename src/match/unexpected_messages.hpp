// Unexpected messages: those that were taken from their rings before a receive for them was posted. A queue of each
// sender, and how many all of a rank's senders have. Own thread of the receiving rank only.
//
// Invariants: a queue owns its messages, and count() is their number; the total is the sum of the counts of its queues.
// Unexpected messages are bounded only by memory: each time that there are four times as many, one call of add() says
// that a warning is due.
#pragma once

#include <cstddef>
#include <cstdint>

#include "match/matching_queue.hpp"
#include "match/unexpected_message.hpp"

namespace pure::core {

class unexpected_total {
 public:
  explicit unexpected_total(std::size_t warn_from) noexcept : next_warning_(warn_from) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// True if a warning is due.
  bool add() noexcept {
    if (++count_ < next_warning_) return false;
    next_warning_ = count_ * 4;
    return true;
  }
  void remove() noexcept { --count_; }

 private:
  std::size_t count_ = 0;
  std::size_t next_warning_;
};

class unexpected_queue {
 public:
  using place = matching_queue<unexpected_message>::place;

  explicit unexpected_queue(unexpected_total& of_all) noexcept : of_all_(of_all) {}
  unexpected_queue(const unexpected_queue&) = delete;
  unexpected_queue& operator=(const unexpected_queue&) = delete;
  ~unexpected_queue();

  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  /// The oldest; the others are behind its `next`.
  [[nodiscard]] const unexpected_message* front() const noexcept { return queue_.front(); }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Walks through it: count(), unless that is wrong.
  [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }
  /// How many messages have been looked at so far.
  [[nodiscard]] std::uint64_t steps() const noexcept { return queue_.steps(); }

  /// Owns it from now on. True if a warning is due.
  bool push(unexpected_message& youngest) noexcept {
    queue_.push(youngest);
    ++count_;
    return of_all_.add();
  }
  /// The oldest that matches and that nobody has cancelled. Destroys those that match, and were cancelled.
  place find(std::uint32_t context, int tag) noexcept;
  /// What find() has found is the caller's.
  unexpected_message& unlink(const place& found) noexcept;
  /// The oldest that matches, with its claim: the caller's now; null: none.
  unexpected_message* take(std::uint32_t context, int tag) noexcept;

 private:
  matching_queue<unexpected_message> queue_;
  std::size_t count_ = 0;
  unexpected_total& of_all_;
};

/// An unexpected message made of a record of rank `from`, which may be released then. Throws std::bad_alloc.
[[nodiscard]] unexpected_message* unexpected_of(record& arrived, int from);

}  // namespace pure::core
