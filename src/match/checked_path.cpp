#include "match/checked_path.hpp"

namespace pure::core {

bool message_receiver::start_checked(receive_op& op, const call& by, bool is_request) {
  terms_.checks->receive_starts(op, by, is_request);
  if (op.from < 0) return false;
  in_channel& channel = from_.from(op.from);
  if (!channel.unexpected.empty() || !channel.posted.empty() || posted_.has_from_any()) return false;
  record* const arrived = channel.from->front();
  if (arrived != nullptr) return op.matches(arrived->who) && try_deliver_checked(channel, *arrived, op);
  posted_.push(channel.posted, op);
  return true;
}

bool message_receiver::try_deliver_checked(in_channel& channel, record& arrived, receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  const bool is_short = arrived.kind() == record_kind::eager && bytes <= op.capacity && terms_.log == nullptr;
  if (!is_short || !terms_.checks->take_blocking(op, arrived.number)) return false;
  deliver_short(channel, arrived, payload_of(arrived), op);
  return true;
}

}  // namespace pure::core
