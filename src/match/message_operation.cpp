#include "match/message_operation.hpp"

#include <utility>

#include "match/requests.hpp"

namespace pure::core {

message_operation::~message_operation() {
  if (is_active_ && receive_ && !receive_->done && !engine_.is_closed()) engine_.withdraw(*receive_);
}

receive_sink sink_of(const placed_message& where) noexcept {
  return {.container = where.base,
          .make_room = nullptr,
          .moved_type = nullptr,
          .adopt = nullptr,
          .form = where.form.get(),
          .capacity = where.bytes};
}

std::unique_ptr<std::byte[]> packed_copy(const placed_message& what) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
  copy_laid_out({copy.get(), nullptr}, {static_cast<const std::byte*>(what.base), what.form.get()}, 0, what.bytes);
  return copy;
}

void message_operation::set_send(send_mode mode, int to, const envelope& who, const placed_message& what) {
  to_send_ = {mode, to, who, what};
}

void message_operation::set_receive(const detail::receive_place& place, std::uint32_t context, int from, int tag) {
  to_receive_.emplace(receive_arguments{place, context, from, tag, {}, {}});
}

void message_operation::set_receive(const placed_message& where, std::uint32_t context, int from, int tag) {
  if (where.form == nullptr) return set_receive(receive_place{where.base, where.bytes, nullptr}, context, from, tag);
  to_receive_.emplace(receive_arguments{{}, context, from, tag, where.form, sink_of(where)});
  to_receive_->place.sink = &to_receive_->sink;
}

void message_operation::start(const call& by) {
  failure_.reset();
  is_cancelled_ = false;
  is_sent_ = true;
  if (to_receive_) {
    receive_.emplace(to_receive_->place, to_receive_->context, to_receive_->from, to_receive_->tag);
    engine_.start(*receive_);
  }
  if (to_send_ && to_send_->mode == send_mode::buffered) {  // throws if it does not fit: it stays inactive
    const placed_message& what = to_send_->what;
    const auto packed = what.form == nullptr ? nullptr : packed_copy(what);
    owner_.send_buffered(by, to_send_->to, to_send_->who, packed == nullptr ? what.base : packed.get(), what.bytes);
  }
  is_active_ = true;
  if (!to_send_ || to_send_->mode == send_mode::buffered) return;
  const auto& [mode, to, who, what] = *to_send_;
  const bool is_plain = mode != send_mode::synchronous && what.form == nullptr;
  if (is_plain && engine_.try_send_now(to, who, what.base, what.bytes)) return;
  if (send_ == nullptr) send_ = std::make_unique<send_op>();
  send_->data = what.base;
  send_->bytes = what.bytes;
  send_->form = what.form.get();
  send_->who = who;
  send_->to = to;
  send_->is_synchronous = mode == send_mode::synchronous;
  engine_.start(*send_);
  is_sent_ = send_->now == send_op::stage::done;
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
  if (send_->is_withdrawn) owner_.leave_withdrawn(std::move(send_));
}

}  // namespace pure::core
