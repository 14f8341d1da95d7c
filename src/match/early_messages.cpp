// Early messages: those that were taken from their rings before a receive for them was posted.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// The oldest early message that matches and that nobody has cancelled; `before`: its predecessor.
early_message* match_engine::find_early(in_channel& channel, std::uint32_t context, int tag,
                                        early_message*& before) noexcept {
  before = nullptr;
  for (early_message* at = channel.early.front(); at != nullptr;) {
    early_message* const next = at->next;
    if (!is_wanted(at->who, context, tag)) {
      before = at;
    } else if (at->claim && at->claim.was_withdrawn()) {
      unlink_early(channel, before, *at);
      early_message::destroy(at);
    } else {
      return at;
    }
    at = next;
  }
  return nullptr;
}

void match_engine::unlink_early(in_channel& channel, early_message* before, early_message& message) noexcept {
  channel.early.remove_after(before, message);
  --channel.early_count;
  --early_count_;
}

bool match_engine::take_early(in_channel& channel, receive_op& op) {
  early_message* before = nullptr;
  while (early_message* const found = find_early(channel, op.context, op.tag, before)) {
    unlink_early(channel, before, *found);
    if (!found->claim || found->claim.take()) {
      deliver(*found, op);
      return true;
    }
    early_message::destroy(found);  // cancelled this moment
  }
  return false;
}

/// Takes the message out of its ring.
early_message* match_engine::make_early(in_channel& channel, record& arrived) {
  const record_kind kind = arrived.kind();
  const bool has_payload = kind == record_kind::eager || kind == record_kind::synchronous;
  const std::size_t kept = has_payload ? arrived.bytes : 0;
  early_message* const message = early_message::make(kept);
  message->kind = kind;
  message->who = arrived.who;
  message->from = channel.from->source();
  message->bytes = bytes_of(arrived);
  message->number = arrived.number;
  message->claim = claim_in(arrived);
  if (kind == record_kind::rendezvous) message->source = offer_in(arrived).source;
  if (kind == record_kind::moved) message->object = std::move(object_in(arrived));
  const std::size_t payload_at = kind == record_kind::synchronous ? sizeof(claim_reference) : 0;
  if (kept > 0) std::memcpy(message->payload(), payload_of(arrived) + payload_at, kept);
  pop(channel, arrived);
  return message;
}

void match_engine::set_aside(in_channel& channel, record& arrived) {
  channel.early.push(*make_early(channel, arrived));
  ++channel.early_count;
  if (++early_count_ >= next_warning_) warn_of_early_messages();
}

void match_engine::warn_of_early_messages() {
  next_warning_ = early_count_ * 4;
  std::vector<in_channel*> by_count = active_in_;
  std::sort(by_count.begin(), by_count.end(),
            [](const in_channel* a, const in_channel* b) { return a->early_count > b->early_count; });
  std::string senders;
  for (std::size_t i = 0; i < by_count.size() && i < 4 && by_count[i]->early_count > 0; ++i) {
    senders += fmt::format("{}{} from rank {}", i == 0 ? "" : ", ", by_count[i]->early_count,
                           by_count[i]->from->source());
  }
  fmt::print(stderr,
             "pure: warning: rank {} holds {} messages for which it has posted no receive ({}); they take memory until "
             "it receives them (PURE_UNEXPECTED_WARN sets when this is said)\n",
             self_.number(), early_count_, senders);
}

}  // namespace pure::core
