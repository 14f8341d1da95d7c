#include "match/message_operation.hpp"

#include <utility>

#include "match/message_checks.hpp"
#include "match/requests.hpp"

namespace pure::core {

message_operation::~message_operation() {
  if (is_active_ && receive_ && !receive_->done && !engine_.is_closed()) engine_.withdraw(*receive_);
}

void message_operation::set_send(send_mode mode, int to, const envelope& who, const void* data, std::size_t bytes) {
  to_send_ = {mode, to, who, data, bytes};
}

void message_operation::set_receive(const detail::receive_place& place, std::uint32_t context, int from, int tag) {
  to_receive_ = {place, context, from, tag};
}

void message_operation::start(const call& by) {
  failure_.reset();
  is_cancelled_ = false;
  is_sent_ = true;
  const call typed(by.operation, by.site, types_);
  const bool is_checked = engine_.checks() != nullptr;
  if (is_checked && to_send_ && to_send_->mode != send_mode::buffered) check_send(typed);
  if (to_receive_) start_receive(typed);
  if (to_send_ && to_send_->mode == send_mode::buffered) {  // throws if it does not fit: it stays inactive
    owner_.send_buffered(typed, to_send_->to, to_send_->who, to_send_->data, to_send_->bytes);
  }
  is_active_ = true;
  if (!to_send_ || to_send_->mode == send_mode::buffered) return;
  const send_arguments& what = *to_send_;
  if (what.mode != send_mode::synchronous && engine_.try_send_now(what.to, what.who, what.data, what.bytes)) return;
  fill_send();
  engine_.start(*send_);
  is_sent_ = send_->now == send_op::stage::done;
}

void message_operation::fill_send() {
  const send_arguments& what = *to_send_;
  if (send_ == nullptr) send_ = std::make_unique<send_op>();
  send_->data = what.data;
  send_->bytes = what.bytes;
  send_->who = what.who;
  send_->to = what.to;
  send_->is_synchronous = what.mode == send_mode::synchronous;
}

/// Before anything starts: both buffers must be free, and disjoint.
void message_operation::check_send(const call& by) {
  fill_send();
  send_->number = engine_.checks()->send_starts(by, send_->data, send_->bytes, send_->to, send_->who.tag);
  engine_.checks()->hold(*send_, by);
}

void message_operation::start_receive(const call& by) {
  receive_.emplace(to_receive_->place, to_receive_->context, to_receive_->from, to_receive_->tag);
  try {
    engine_.start(*receive_, &by, true);
  } catch (const Error&) {  // its buffer is in use
    receive_.reset();
    if (send_ != nullptr && send_->is_checked) engine_.checks()->forget(*send_);
    throw;
  }
}

void message_operation::settle(const call& by) noexcept {
  std::optional<Error> of_send, of_receive;
  if (send_ != nullptr && send_->is_checked) of_send = engine_.checks()->end(*send_, by);
  if (receive_ && receive_->is_checked) of_receive = engine_.checks()->end(*receive_, by);
  if (receive_ && receive_->result.error != errc::success) return;  // that one says more
  if (!failure_ && of_send) failure_.emplace(*of_send);
  if (!failure_ && of_receive) failure_.emplace(*of_receive);
}

bool message_operation::poll() noexcept {
  if (!is_active_) return true;
  is_sent_ = is_sent_ || engine_.test(*send_);
  const bool is_received = !receive_ || engine_.test(*receive_);
  return is_sent_ && is_received;
}

wait_reason message_operation::reason(const call& by) const noexcept {
  if (receive_ && !receive_->done) {
    return {by, "a message from", receive_->from == any_source ? wait_reason::anybody : receive_->from, receive_->tag};
  }
  return {by, "the receive of its message by", to_send_->to, to_send_->who.tag};
}

status message_operation::outcome() const noexcept {
  if (is_cancelled_) return {.cancelled = true};
  if (receive_) return receive_->result;
  if (from_nobody_) return {.source = proc_null, .tag = any_tag};
  return {};
}

void message_operation::withdraw_receive() noexcept {
  if (!receive_ || receive_->done) return;
  engine_.withdraw(*receive_);
  receive_->done = true;
  is_cancelled_ = true;
}

void message_operation::cancel() noexcept {
  withdraw_receive();
  if (to_receive_ || is_sent_ || !engine_.cancel(*send_)) return;  // the send of a pair goes on
  is_cancelled_ = true;
  is_sent_ = true;
  if (send_->is_checked) engine_.checks()->forget(*send_);
  if (send_->is_withdrawn) owner_.leave_withdrawn(std::move(send_));
}

}  // namespace pure::core
