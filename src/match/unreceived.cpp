#include "match/unreceived.hpp"

#include "match/message_content.hpp"

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

}  // namespace pure::core
