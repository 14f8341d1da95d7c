// Modelled by tests/model/send_claim.pml.
#include "match/unexpected_messages.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "match/message_content.hpp"

namespace pure::core {

unexpected_queue::~unexpected_queue() {
  unexpected_message* next = queue_.front();
  while (next != nullptr) unexpected_message::destroy(std::exchange(next, next->next));
}

unexpected_queue::place unexpected_queue::find(std::uint32_t context, int tag) noexcept {
  const auto keys = [&] { return std::array{match_key{context, tag}}; };
  for (;;) {
    const place found = queue_.find(keys,
                                    [&](const unexpected_message& each) { return is_wanted(each.who, context, tag); });
    if (found.entry == nullptr || !found.entry->claim || !found.entry->claim.was_withdrawn()) return found;
    unexpected_message::destroy(&unlink(found));
  }
}

unexpected_message& unexpected_queue::unlink(const place& found) noexcept {
  queue_.remove(found);
  --count_;
  of_all_.remove();
  return *found.entry;
}

unexpected_message* unexpected_queue::take(std::uint32_t context, int tag) noexcept {
  while (!empty()) {
    const place found = find(context, tag);
    if (found.entry == nullptr) return nullptr;
    unexpected_message& message = unlink(found);
    if (!message.claim || message.claim.take()) return &message;
    unexpected_message::destroy(&message);  // cancelled this moment
  }
  return nullptr;
}

unexpected_message* unexpected_of(record& arrived, int from) {
  const record_kind kind = arrived.kind();
  const bool has_payload = kind != record_kind::rendezvous && kind != record_kind::moved;
  const std::size_t kept = has_payload ? arrived.bytes : 0;
  unexpected_message* const message = unexpected_message::make(kept);
  message->kind = kind;
  message->who = arrived.who;
  message->from = from;
  message->bytes = bytes_of(arrived);
  message->number = arrived.number;
  message->claim = claim_in(arrived);
  if (kind == record_kind::rendezvous) message->source = offer_in(arrived).source;
  if (kind == record_kind::moved) message->object = std::move(object_in(arrived));
  if (kind == record_kind::cells) {
    copy_from_cells(arrived, {message->payload(), nullptr}, kept);
    message->kind = record_kind::eager;
    return message;
  }
  const std::size_t payload_at = kind == record_kind::synchronous ? sizeof(claim_reference) : 0;
  if (kept > 0) std::memcpy(message->payload(), payload_of(arrived) + payload_at, kept);
  return message;
}

}  // namespace pure::core
