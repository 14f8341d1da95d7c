// What is in a record, and in the unexpected message that it becomes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "match/payload.hpp"
#include "match/send_op.hpp"
#include "match/unexpected_message.hpp"
#include "transport/cells.hpp"

namespace pure::core {

inline moved_value& object_in(record& arrived) noexcept {
  return *std::launder(reinterpret_cast<moved_value*>(payload_of(arrived)));
}

/// The payload of a rendezvous.
struct message_offer {
  claim_reference claim;
  rendezvous_source source;
  std::size_t bytes;
};
static_assert(sizeof(message_offer) <= record::first_line_payload);

inline message_offer offer_in(record& arrived) noexcept {
  message_offer offer{};
  std::memcpy(&offer, payload_of(arrived), sizeof offer);
  return offer;
}

/// Of a rendezvous or synchronous message; others have none.
inline claim_reference claim_in(record& arrived) noexcept {
  static_assert(offsetof(message_offer, claim) == 0);
  claim_reference claim;
  const record_kind kind = arrived.kind();
  if (kind == record_kind::rendezvous || kind == record_kind::synchronous) {
    std::memcpy(&claim, payload_of(arrived), sizeof claim);
  }
  return claim;
}

/// Copies the first `bytes` of a message out of its cells, which are its receiver's then, or free.
inline void copy_from_cells(record& arrived, const laid_out_target& to, std::size_t bytes) noexcept {
  message_in_cells content;
  std::memcpy(&content, payload_of(arrived), sizeof content);
  content.receiver->get(content.cells, arrived.bytes, to, 0, bytes);
}

inline std::size_t bytes_of(record& arrived) noexcept {
  if (arrived.kind() == record_kind::rendezvous) return offer_in(arrived).bytes;
  return arrived.kind() == record_kind::moved ? object_in(arrived).bytes() : arrived.bytes;
}

inline std::size_t bytes_of(const unexpected_message& message) noexcept {
  return message.kind == record_kind::moved ? message.object.bytes() : message.bytes;
}

/// As a probe says it.
inline status status_of(const envelope& who, std::size_t bytes) noexcept {
  return {.source = who.source, .tag = who.tag, .bytes = bytes, .sent_bytes = bytes};
}

inline bool is_wanted(const envelope& who, std::uint32_t context, int tag) noexcept {
  return who.context == context && (who.tag == tag || tag == any_tag);
}

}  // namespace pure::core
