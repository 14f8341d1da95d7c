#include "runtime/activity.hpp"

#include <new>

namespace pure::core {

activity::activity(std::size_t most_events)
    : most_events_(most_events), blocks_((most_events + events_in_block - 1) / events_in_block) {}

bool activity::has_room_for_one() noexcept {
  const std::size_t at = count_.load(std::memory_order_relaxed);
  if (at >= most_events_) return false;
  if (at % events_in_block != 0) return true;
  auto& block = blocks_[at / events_in_block];
  block.reset(new (std::nothrow) trace_event[events_in_block]);
  return block != nullptr;
}

/// As long as this activity.
const char* activity::keep(const shared_name& name) {
  return name == nullptr ? nullptr : (*names_.insert(name).first)->c_str();
}

void activity::add(const trace_event& event, const shared_name& name) noexcept {
  if (most_events_ == 0) return;
  bool is_added = has_room_for_one();
  if (is_added) {
    const std::size_t at = count_.load(std::memory_order_relaxed);
    trace_event& added = blocks_[at / events_in_block][at % events_in_block];
    added = event;
    try {
      added.name = keep(name);
      count_.store(at + 1, std::memory_order_release);  // release: the event; pairs with for_each_event()
    } catch (const std::bad_alloc&) {
      is_added = false;
    }
  }
  if (!is_added) dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void activity::enter_wait() noexcept {
  if (wait_depth_++ > 0) return;
  wait_start_ns_ = now_ns();
  stealing_before_ns_ = counts.stealing_ns;
}

void activity::leave_wait(const wait_reason& why) noexcept {
  if (--wait_depth_ > 0) return;
  const std::int64_t now = now_ns();
  counts.waiting_ns += now - wait_start_ns_ - (counts.stealing_ns - stealing_before_ns_);
  const wait_subject none, &about = why.subject != nullptr ? *why.subject : none;
  add({.start_ns = wait_start_ns_,
       .end_ns = now,
       .kind = trace_event::type::wait,
       .peer = why.peer,
       .operation = why.what.operation,
       .site = why.what.site,
       .waiting_for = why.waiting_for.words,
       .tag = why.tag,
       .amount = about.number},
      about.name);
}

void activity::add_send(std::int64_t start_ns, int to, int tag, std::size_t bytes, std::uint32_t number) noexcept {
  ++counts.sent;
  counts.sent_bytes += bytes;
  add_message(trace_event::type::send, start_ns, to, tag, bytes, number);
}

void activity::add_receive(std::int64_t start_ns, int from, int tag, std::size_t bytes, std::uint32_t number) noexcept {
  ++counts.received;
  counts.received_bytes += bytes;
  add_message(trace_event::type::receive, start_ns, from, tag, bytes, number);
}

void activity::add_message(trace_event::type kind, std::int64_t start_ns, int peer, int tag, std::size_t bytes,
                           std::uint32_t number) noexcept {
  add({.start_ns = start_ns,
       .end_ns = now_ns(),
       .kind = kind,
       .peer = peer,
       .tag = tag,
       .first = number,
       .amount = bytes});
}

}  // namespace pure::core
