// Buffered sends: messages that a rank has handed over, kept until their receivers take them (MPI 4.1, 3.6).
//
// The buffer that a program attaches only says how much may be kept: the copies lie in memory of their own, one for
// each message. Without an attached buffer nothing may be kept, except in automatic mode, where memory is the only
// limit. A message that can go at once is never counted. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <vector>

#include "match/message_sender.hpp"

namespace pure::core {

class send_buffer {
 public:
  /// What a message takes of an attached buffer beside its bytes.
  static constexpr std::size_t overhead = 64;

  explicit send_buffer(message_sender& sender) noexcept : sender_(sender) {}

  [[nodiscard]] bool is_attached() const noexcept { return is_attached_; }
  [[nodiscard]] bool is_automatic() const noexcept { return size_ == std::numeric_limits<std::size_t>::max(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] void* memory() const noexcept { return memory_; }
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }

  /// `memory` is only given back; automatic: no limit.
  void attach(void* memory, std::size_t size) noexcept;
  void attach_automatic() noexcept;
  /// After all_sent().
  void detach() noexcept;

  /// Takes the message over; false if it does not fit, and then nothing has happened. `number`: of the message, where
  /// messages are checked. Throws std::bad_alloc.
  bool send(int to, const envelope& who, const void* data, std::size_t bytes, std::uint32_t number);

  [[nodiscard]] bool all_sent() const noexcept { return kept_.empty(); }
  /// How many messages have been kept so far, and whether the first `count` of them have been sent.
  [[nodiscard]] std::uint64_t kept_so_far() const noexcept { return kept_so_far_; }
  [[nodiscard]] bool has_sent(std::uint64_t count) const noexcept {
    return kept_.empty() || kept_.front().number > count;
  }
  /// The message that is kept for the longest time. Only if there is one.
  [[nodiscard]] const send_op& oldest() const noexcept { return kept_.front().op; }
  /// The contexts of the messages that are kept.
  void add_contexts(std::vector<std::uint32_t>& to) const {
    for (const message& each : kept_) to.push_back(each.op.who.context);
  }
  /// Moves on the oldest of what is kept, and some others: there may be thousands. True if any message has gone.
  bool advance();

 private:
  struct message {
    send_op op;
    std::unique_ptr<std::byte[]> copy;
    std::uint64_t number = 0;  // from 1
  };
  using place = std::list<message>::iterator;

  [[nodiscard]] bool has_room_for(std::size_t bytes) const noexcept {
    const std::size_t left = size_ - in_use_;
    return left >= overhead && left - overhead >= bytes;
  }
  bool end_if_sent(place which);

  message_sender& sender_;
  bool is_attached_ = false;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t in_use_ = 0;
  std::uint64_t kept_so_far_ = 0;
  std::list<message> kept_;   // in the order of sending
  place next_ = kept_.end();  // to be looked at
};

}  // namespace pure::core
