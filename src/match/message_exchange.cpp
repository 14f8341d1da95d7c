#include "match/message_exchange.hpp"

#include "match/message_checks.hpp"
#include "match/short_path.hpp"
#include "match/wait_kinds.hpp"

namespace pure::core {

message_exchange::~message_exchange() {
  if (receive_ && !receive_->done && !engine_.is_closed()) engine_.receiver().withdraw(*receive_);
}

void message_exchange::set_send(int to, const envelope& who, const placed_message& what) {
  what_ = what;
  send_.emplace();
  send_->data = what.base;
  send_->bytes = what.bytes;
  send_->form = what.form.get();
  send_->who = who;
  send_->to = to;
}

void message_exchange::set_receive(const placed_message& where, std::uint32_t context, int from, int tag) {
  where_ = where;
  sink_ = sink_of(where_);
  const bool is_row = where.form == nullptr;
  receive_.emplace(is_row ? receive_place{where.base, where.bytes, nullptr} : receive_place{nullptr, 0, &sink_},
                   context, from, tag);
}

void message_exchange::start_both(const call& by) {
  message_checks* const checks = engine_.checks();
  if (send_ && checks != nullptr) checks->request_starts(*send_, by);  // first: both must be free, and disjoint
  if (receive_) {
    try {
      engine_.receiver().start(*receive_, &by, true);
    } catch (const Error&) {  // its buffer is in use
      if (send_) checks->forget(*send_);
      receive_.reset();
      throw;
    }
  }
  if (send_) engine_.sender().start(*send_);
}

void message_exchange::settle(const call& by) noexcept {
  std::optional<Error> of_send, of_receive;
  if (send_ && send_->is_checked) of_send = engine_.checks()->end(*send_, by);
  if (receive_ && receive_->is_checked) of_receive = engine_.checks()->end(*receive_, by);
  if (receive_ && receive_->result.error != errc::success) return;  // that one says more
  if (of_send) {
    failure_.emplace(*of_send);
  } else if (of_receive) {
    failure_.emplace(*of_receive);
  }
}

void message_exchange::forget() noexcept {
  if (send_ && send_->is_checked) engine_.checks()->forget(*send_);
  if (receive_ && receive_->is_checked) engine_.checks()->forget(*receive_);
}

bool message_exchange::poll() noexcept {
  const bool is_sent = !send_ || engine_.sender().test(*send_);
  const bool is_received = !receive_ || engine_.receiver().test(*receive_);
  return is_sent && is_received;
}

wait_reason message_exchange::reason(const call& by) const noexcept {
  if (receive_ && !receive_->done) return wait_for_message_of(by, receive_->from, receive_->tag);
  return {by, receive_by, send_->to, send_->who.tag, true};
}

status message_exchange::outcome() const noexcept {
  return receive_ ? receive_->result : status{.source = proc_null, .tag = any_tag};
}

void message_exchange::cancel() noexcept {
  if (!receive_ || receive_->done) return;
  if (!engine_.receiver().withdraw(*receive_)) return;  // it has matched
  receive_->done = true;
  receive_->result = {.cancelled = true};
}

}  // namespace pure::core
