#include "match/checked_path.hpp"

namespace pure::core {

bool match_engine::start_checked(receive_op& op, const call& by, bool is_request) {
  checks_->receive_starts(op, by, is_request);
  if (op.from < 0) return false;
  in_channel& channel = channel_from(op.from);
  if (!channel.early.empty() || !channel.posted.empty() || !posted_any_.empty()) return false;
  record* const arrived = channel.from->front();
  if (arrived != nullptr) return op.matches(arrived->who) && try_deliver_checked(channel, *arrived, op);
  op.order = receives_posted_++;
  channel.posted.push(op);
  return true;
}

bool match_engine::try_deliver_checked(in_channel& channel, record& arrived, receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  const bool is_short = arrived.kind() == record_kind::eager && bytes <= op.capacity && log_ == nullptr;
  if (!is_short || !checks_->take_blocking(op, arrived.number)) return false;
  deliver_short(channel, arrived, payload_of(arrived), op);
  return true;
}

}  // namespace pure::core
