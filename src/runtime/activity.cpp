#include "runtime/activity.hpp"

#include <algorithm>
#include <new>

#include "runtime/current_rank.hpp"

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
  append(event, name);
  if (looked_ns_ != 0 && event.end_ns - looked_ns_ >= look_every_ns) look_at_lost_cpu(event.end_ns);
}

void activity::watch_lost_cpu() noexcept {
  if (most_events_ == 0) return;
  looked_ns_ = now_ns();
  lost_ns_ = lost_.ns();
}

void activity::look_at_lost_cpu(std::int64_t now_ns) noexcept {
  if (is_guest_thread) return;  // another thread, with losses of its own
  const std::int64_t lost_ns = lost_.ns();
  const std::int64_t more_ns = lost_ns - lost_ns_;
  if (more_ns >= worth_ns) {
    append({.start_ns = looked_ns_,
            .end_ns = now_ns,
            .kind = trace_event::type::lost,
            .amount = static_cast<std::uint64_t>(more_ns)},
           {});
  }
  lost_ns_ = lost_ns;
  looked_ns_ = now_ns;
}

void activity::append(const trace_event& event, const shared_name& name) noexcept {
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
  stealing_before_ns_ = std::int64_t{counts.stealing_ns};
  wait_start_ns_ = now_ns();
}

void activity::leave_wait(const wait_reason& why, bool given_up) noexcept {
  if (--wait_depth_ > 0) return;
  const std::int64_t now = now_ns();
  const std::int64_t start = wait_start_ns_;
  const std::int64_t waited_ns = now - start - (counts.stealing_ns - stealing_before_ns_);
  counts.waiting_ns += waited_ns;
  add_wait({why.what.operation, why.what.site.where, why.what.site.line}, waited_ns);
  wait_start_ns_ = 0;
  const wait_subject none, &about = why.subject != nullptr ? *why.subject : none;
  add({.start_ns = start,
       .end_ns = now,
       .kind = trace_event::type::wait,
       .peer = why.peer,
       .operation = why.what.operation,
       .site = why.what.site,
       .waiting_for = why.waiting_for.words,
       .tag = why.tag,
       .amount = about.number,
       .last = given_up ? 1U : 0U},
      about.name);
}

void activity::add_wait(const call_of_wait& at, std::int64_t ns) noexcept {
  const std::lock_guard lock(guard_);
  try {
    wait_totals& its = waits_[at];
    its.ns += ns;
    ++its.count;
  } catch (const std::bad_alloc&) {  // then it is in no line
  }
}

void activity::add_stolen(int victim, std::uint64_t chunks) {
  const std::lock_guard lock(guard_);
  stolen_from_[victim] += chunks;
}

void activity::add_items(const item_totals& of_one) noexcept {
  const std::lock_guard lock(guard_);
  items_.add(of_one);
}

activity_totals activity::totals(std::int64_t now_ns) const {
  activity_totals made;
  const std::int64_t start = counts.start_ns, ended_after = counts.lifetime_ns, waits_since = wait_start_ns_;
  made.lifetime_ns = ended_after != 0 ? ended_after : start != 0 ? now_ns - start : 0;
  made.stealing_ns = counts.stealing_ns;
  made.waiting_ns = counts.waiting_ns;
  if (waits_since != 0) {
    const std::int64_t stolen_there = made.stealing_ns - stealing_before_ns_;
    made.waiting_ns += std::max<std::int64_t>(now_ns - waits_since - stolen_there, 0);
  }
  made.taken_ns = counts.taken_ns;
  made.preempted = counts.preempted;
  made.tasks = counts.tasks;
  made.own_chunks = counts.own_chunks;
  made.sent = counts.sent;
  made.sent_bytes = counts.sent_bytes;
  made.received = counts.received;
  made.received_bytes = counts.received_bytes;
  made.collectives = counts.collectives;
  const std::lock_guard lock(guard_);
  made.items = items_;
  return made;
}

std::unordered_map<int, std::uint64_t> activity::stolen_from() const {
  const std::lock_guard lock(guard_);
  return stolen_from_;
}

activity::waits_by_call activity::waits() const {
  const std::lock_guard lock(guard_);
  return waits_;
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
