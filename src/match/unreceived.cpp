// The messages that nobody has received, when all ranks have ended (PURE_CHECK).
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

void match_engine::take_unreceived(ring& from, int to, std::vector<unreceived_message>& into) {
  while (record* const left = from.front()) {
    if (const claim_reference claim = claim_in(*left); !claim || !claim.was_withdrawn()) {
      into.push_back({left->who, bytes_of(*left), from.source(), to, left->number});
    }
    if (left->kind() == record_kind::moved) object_in(*left).reset();
    from.pop(*left);
  }
}

std::vector<unreceived_message> match_engine::unreceived() {
  adopt_announced();
  const int me = self_.number();
  std::vector<unreceived_message> all;
  for (in_channel* const channel : active_in_) {
    for (const unexpected_message* at = channel->early.front(); at != nullptr; at = at->next) {
      if (at->claim && at->claim.was_withdrawn()) continue;
      all.push_back({at->who, bytes_of(*at), at->from, me, at->number});
    }
    take_unreceived(*channel->from, me, all);
  }
  for (out_channel* const channel : waiting_out_) {
    for (const send_op* at = channel->queue.front(); at != nullptr; at = at->next) {
      all.push_back({at->who, at->is_moved ? at->object.bytes() : at->bytes, me, at->to, at->number});
    }
  }
  if (remote_ != nullptr) remote_->add_unreceived(self_, all);
  return all;
}

}  // namespace pure::core
