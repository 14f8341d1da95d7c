#include "match/unreceived.hpp"

#include "match/in_channels.hpp"
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/message_sender.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

void take_unreceived(ring& from, int to, std::vector<unreceived_message>& into) {
  while (record* const left = from.front()) {
    if (const claim_reference claim = claim_in(*left); !claim || !claim.was_withdrawn()) {
      into.push_back({left->who, bytes_of(*left), from.source(), to, left->number});
    }
    if (left->kind() == record_kind::moved) object_in(*left).reset();
    from.pop(*left);
  }
}

void in_channels::add_unreceived(std::vector<unreceived_message>& to) {
  adopt_announced();
  const int me = self_.number();
  for (in_channel* const channel : all_) {
    for (const unexpected_message* at = channel->unexpected.front(); at != nullptr; at = at->next) {
      if (at->claim && at->claim.was_withdrawn()) continue;
      to.push_back({at->who, bytes_of(*at), at->from, me, at->number});
    }
    take_unreceived(*channel->from, me, to);
  }
}

void message_sender::add_unsent(std::vector<unreceived_message>& to) const {
  for (const out_channel* const channel : waiting_) {
    for (const send_op* at = channel->queue.front(); at != nullptr; at = at->next) {
      to.push_back({at->who, at->is_moved ? at->object.bytes() : at->bytes, self_.number(), at->to, at->number});
    }
  }
}

std::vector<unreceived_message> match_engine::unreceived() {
  std::vector<unreceived_message> all;
  receiver_.add_unreceived(all);
  sender_.add_unsent(all);
  if (remote_ != nullptr) remote_->add_unreceived(self_, all);
  return all;
}

}  // namespace pure::core
