// What is in a record, and in the early message that it becomes.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "match/early_message.hpp"
#include "match/send_op.hpp"
#include "match/short_path.hpp"

namespace pure::core {

inline moved_value& object_in(record& arrived) noexcept {
  return *std::launder(reinterpret_cast<moved_value*>(payload_of(arrived)));
}

/// Of a rendezvous or synchronous message.
inline send_op& sender_in(record& arrived) noexcept {
  send_op* sender = nullptr;
  std::memcpy(&sender, payload_of(arrived), sizeof sender);
  return *sender;
}

inline bool has_sender(record_kind kind) noexcept {
  return kind == record_kind::rendezvous || kind == record_kind::synchronous;
}

inline std::size_t bytes_of(record& arrived) noexcept {
  if (arrived.kind() == record_kind::rendezvous) return sender_in(arrived).meeting.bytes();
  return arrived.kind() == record_kind::moved ? object_in(arrived).bytes() : arrived.bytes;
}

inline std::size_t bytes_of(const early_message& message) noexcept {
  if (message.kind == record_kind::rendezvous) return message.sender->meeting.bytes();
  return message.kind == record_kind::moved ? message.object.bytes() : message.bytes;
}

inline bool is_wanted(const envelope& who, std::uint32_t context, int tag) noexcept {
  return who.context == context && (who.tag == tag || tag == any_tag);
}

}  // namespace pure::core
