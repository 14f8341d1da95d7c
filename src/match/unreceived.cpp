// The messages that nobody has received, when all ranks have ended (PURE_CHECK).
#include "match/match_engine.hpp"
#include "match/message_content.hpp"
#include "match/short_path.hpp"

namespace pure::core {

std::vector<match_engine::unreceived_message> match_engine::unreceived() {
  adopt_announced();
  const int me = self_.number();
  std::vector<unreceived_message> all;
  for (in_channel* const channel : active_in_) {
    for (const early_message* at = channel->early.front(); at != nullptr; at = at->next) {
      if (at->claim && at->claim.was_withdrawn()) continue;
      all.push_back({at->who, bytes_of(*at), at->from, me, at->number});
    }
    while (record* const left = channel->from->front()) {
      if (const claim_reference claim = claim_in(*left); !claim || !claim.was_withdrawn()) {
        all.push_back({left->who, bytes_of(*left), channel->from->source(), me, left->number});
      }
      if (left->kind() == record_kind::moved) object_in(*left).reset();
      channel->from->pop(*left);
    }
  }
  for (out_channel* const channel : waiting_out_) {
    for (const send_op* at = channel->queue.front(); at != nullptr; at = at->next) {
      all.push_back({at->who, at->is_moved ? at->object.bytes() : at->bytes, me, at->to, at->number});
    }
  }
  return all;
}

}  // namespace pure::core
