// Early messages: those that were taken from their rings before a receive for them was posted.
// Modelled by tests/model/send_claim.pml.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/say.hpp"
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// The oldest unexpected message that matches and that nobody has cancelled.
match_engine::early_place match_engine::find_unexpected(in_channel& channel, std::uint32_t context, int tag) noexcept {
  const auto keys = [&] { return std::array{match_key{context, tag}}; };
  for (;;) {
    const early_place found = channel.early.find(
        keys, [&](const unexpected_message& each) { return is_wanted(each.who, context, tag); });
    if (found.entry == nullptr || !found.entry->claim || !found.entry->claim.was_withdrawn()) return found;
    unexpected_message::destroy(&unlink_early(channel, found));
  }
}

unexpected_message& match_engine::unlink_early(in_channel& channel, const early_place& found) noexcept {
  channel.early.remove(found);
  --channel.unexpected_count;
  --early_count_;
  return *found.entry;
}

bool match_engine::take_early(in_channel& channel, receive_op& op) {
  while (!channel.early.empty()) {
    const early_place found = find_unexpected(channel, op.context, op.tag);
    if (found.entry == nullptr) return false;
    unexpected_message& message = unlink_early(channel, found);
    if (!message.claim || message.claim.take()) {
      deliver(message, op);
      return true;
    }
    unexpected_message::destroy(&message);  // cancelled this moment
  }
  return false;
}

/// Takes the message out of its ring.
unexpected_message* match_engine::make_early(in_channel& channel, record& arrived) {
  const record_kind kind = arrived.kind();
  const bool has_payload = kind == record_kind::eager || kind == record_kind::synchronous;
  const std::size_t kept = has_payload ? arrived.bytes : 0;
  unexpected_message* const message = unexpected_message::make(kept);
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
  ++channel.unexpected_count;
  if (++early_count_ >= next_warning_) warn_of_early_messages();
}

void match_engine::warn_of_early_messages() {
  next_warning_ = early_count_ * 4;
  say([this] { return text_of_early_messages(); });
}

std::string match_engine::text_of_early_messages() const {
  std::vector<in_channel*> by_count = active_in_;
  std::sort(by_count.begin(), by_count.end(),
            [](const in_channel* a, const in_channel* b) { return a->unexpected_count > b->unexpected_count; });
  std::string senders;
  for (std::size_t i = 0; i < by_count.size() && i < 4 && by_count[i]->unexpected_count > 0; ++i) {
    senders += fmt::format("{}{} from rank {}", i == 0 ? "" : ", ", by_count[i]->unexpected_count,
                           by_count[i]->from->source());
  }
  return fmt::format(
      "pure: warning: rank {} holds {} messages for which it has posted no receive ({}); they take memory until "
      "it receives them (PURE_UNEXPECTED_WARN sets when this is said)\n",
      self_.number(), early_count_, senders);
}

}  // namespace pure::core
