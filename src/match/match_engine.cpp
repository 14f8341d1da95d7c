// Connections, receives and matching, apart from the short path; sends are in send_queue.cpp.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "match/gateway.hpp"
#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/short_path.hpp"

namespace pure::core {

namespace {

/// What a closed engine polls.
ring& empty_ring() {
  static ring nothing(-1, 8 * line_bytes);
  return nothing;
}

}  // namespace

match_engine::match_engine(rank_context& self)
    : self_(self),
      gateway_(static_cast<gateway*>(self.owner().others())),
      log_(self.log()),
      checks_(self.owner().values().check ? std::make_unique<message_checks>(self) : nullptr),
      eager_limit_bytes_(self.owner().values().eager_limit_bytes),
      short_path_end_(log_ == nullptr && checks_ == nullptr ? eager_limit_bytes_ + 1 : 0),
      is_watched_(short_path_end_ == 0),
      is_never_alone_(checks_ != nullptr),
      in_(self.owner().size()),
      out_(self.owner().size()),
      next_warning_(self.owner().values().unexpected_warn),
      inbox_(self.owner().size(), self.owner().values().ring_bytes, self.owner().pages()) {}

match_engine::~match_engine() {
  for (ring* const each : inbox_.rings()) {
    while (record* const left = each->front()) {
      if (left->kind() == record_kind::moved) object_in(*left).reset();  // nobody received it: it owns memory
      each->pop(*left);
    }
  }
  for (in_channel* const channel : active_in_) {
    while (early_message* const oldest = channel->early.front()) {
      channel->early.pop_front();
      early_message::destroy(oldest);
    }
    delete channel;
  }
  for (out_channel* const channel : out_.all()) delete channel;
}

// ---- connections ----

match_engine::in_channel& match_engine::open_in(int source, ring* announced) {
  auto* const channel = new in_channel;
  in_[source] = channel;
  channel->from = closed_ ? &empty_ring() : announced != nullptr ? announced : &inbox_.connect_own(source);
  active_in_.push_back(channel);
  return *channel;
}

void match_engine::adopt_announced() {
  for (ring* each = inbox_.take_announced(); each != nullptr; each = each->next_announced) {
    if (in_[each->source()] == nullptr) open_in(each->source(), each);
  }
}

// ---- receives ----

/// A receive that is not alone: early messages or earlier receives may come first.
void match_engine::start_behind_others(receive_op& op, const call* by, bool is_request) {
  if (checks_ != nullptr && by != nullptr && start_checked(op, *by, is_request)) return;
  op.order = receives_posted_++;
  if (op.from == any_source) {
    adopt_announced();
    // Sender by sender, so that the early messages of one do not come before all that is in the others' rings.
    if (posted_any_.empty()) {
      if (any_active([&](in_channel& each) { return take_any(each, op); })) return;
    } else if (early_count_ > 0 && any_active([&](in_channel& each) { return take_early(each, op); })) {
      return;
    }
    posted_any_.push(op);
    any_posted_has_changed();
    poll_for(op);
    return;
  }
  in_channel& channel = channel_from(op.from);
  if (take_early(channel, op)) return;
  channel.posted.push(op);
  poll_for(op);
}

void match_engine::poll_for(receive_op& op) {
  const auto complete = [&op] { return op.done; };
  if (op.from != any_source) {
    drain(*in_[op.from], complete);
    return;
  }
  adopt_announced();
  if (posted_any_.front() == &op && take_eager(op)) {
    posted_any_.pop_front();
    any_posted_has_changed();
    return;
  }
  any_active([&](in_channel& each) {
    drain(each, complete);
    return op.done;
  });
}

/// For a receive from any source before which no other one waits: takes the sender's first message that matches it,
/// early or in the ring.
bool match_engine::take_any(in_channel& channel, receive_op& op) {
  if (early_count_ > 0 && take_early(channel, op)) return true;
  while (record* const arrived = channel.from->front()) {
    if (!channel.posted.empty() || !op.matches(arrived->who)) {  // another receive's, or nobody's, or ours behind those
      accept(channel, *arrived);
      if (take_early(channel, op)) return true;
    } else if (try_deliver_eager(channel, *arrived, op)) {
      return true;
    } else if (channel.from->front() == arrived) {  // not cancelled just now
      const claim_reference claim = claim_in(*arrived);
      if (claim && !claim.take()) {
        pop(channel, *arrived);
        continue;
      }
      deliver(channel, *arrived, op);
      return true;
    }
  }
  return false;
}

/// For the first posted receive from any source: takes an eager message that is the next of its sender, if there is one
/// that it matches and that no other receive waits for.
bool match_engine::take_eager(receive_op& op) {
  return any_active([&](in_channel& each) {
    record* const arrived = each.from->front();
    return arrived != nullptr && each.posted.empty() && op.matches(arrived->who) &&
           try_deliver_eager(each, *arrived, op);
  });
}

bool match_engine::withdraw(receive_op& op) noexcept {
  if (op.arriving != nullptr) return false;
  if (op.done) return true;
  (op.from == any_source ? posted_any_ : in_[op.from]->posted).remove(op);
  any_posted_has_changed();
  if (op.is_checked) checks_->forget(op);
  return true;
}

/// Accepts the channel's messages until there is none or stop(). True if there was one.
template <class Stop>
bool match_engine::drain(in_channel& channel, Stop stop) {
  bool any = false;
  while (!stop()) {
    record* const arrived = channel.from->front();
    if (arrived == nullptr) break;
    accept(channel, *arrived);
    any = true;
  }
  return any;
}

bool match_engine::advance() {
  bool moved = gateway_ != nullptr && gateway_->poll();
  adopt_announced();
  for (std::size_t i = 0; i < active_in_.size(); ++i) {  // by index: accept() may run user code that opens channels
    in_channel& channel = *active_in_[i];
    if (channel.from->room_is_wanted()) moved |= drain(channel, [] { return false; });
    moved |= drain(channel, [&] { return channel.posted.empty() && posted_any_.empty(); });
  }
  for (std::size_t i = waiting_out_.size(); i-- > 0;) moved |= put_queued(*waiting_out_[i]);
  for (std::size_t i = offered_.size(); i-- > 0;) {
    if (offered_[i]->meeting.help_and_test()) {
      end_offered(*offered_[i]);
      moved = true;
    }
  }
  return moved;
}

void match_engine::close() noexcept {
  closed_ = true;
  for (in_channel* const channel : active_in_) {
    channel->from = &empty_ring();
    channel->posted = {};
  }
  for (out_channel* const channel : waiting_out_) channel->queue = {};
  posted_any_ = {};
  any_posted_has_changed();
  waiting_out_.clear();
  offered_.clear();
}

// ---- matching ----

void match_engine::accept(in_channel& channel, record& arrived) {
  const claim_reference claim = claim_in(arrived);
  if (claim) claim.expect_to_take();
  const posted_place found = find_posted(channel, arrived.who);
  if (found.op == nullptr) return set_aside(channel, arrived);
  if (claim && !claim.take()) return pop(channel, arrived);  // it was cancelled
  found.list->remove_after(found.before, *found.op);
  if (found.list == &posted_any_) any_posted_has_changed();
  deliver(channel, arrived, *found.op);
}

/// The first posted receive that matches.
match_engine::posted_place match_engine::find_posted(in_channel& channel, const envelope& who) noexcept {
  const auto first_in = [&who](intrusive_fifo<receive_op>& list) {
    posted_place at{&list, nullptr, list.front()};
    while (at.op != nullptr && !at.op->matches(who)) {
      at.before = at.op;
      at.op = at.op->next;
    }
    return at;
  };
  posted_place found = first_in(channel.posted);
  if (!posted_any_.empty()) {
    const posted_place any = first_in(posted_any_);
    if (any.op != nullptr && (found.op == nullptr || any.op->order < found.op->order)) found = any;
  }
  return found;
}

/// Of a message that is this rank's: it destroys it.
void match_engine::deliver(early_message& message, receive_op& op) {
  if (is_watched_) [[unlikely]] {
    const std::int64_t start_ns = log_ != nullptr ? now_ns() : 0;
    if (checks_ != nullptr) checks_->before_delivery(op, message.from, message.who.tag, message.number);
    deliver_early(message, op);
    watch_delivery(op, {start_ns, message.from, message.number});
  } else {
    deliver_early(message, op);
  }
  early_message::destroy(&message);
}

void match_engine::deliver_early(early_message& message, receive_op& op) {
  switch (message.kind) {
    case record_kind::rendezvous: deliver_meeting(message.who, *message.sender, op); break;
    case record_kind::moved: deliver_moved(message.who, message.object, op); break;
    case record_kind::synchronous: self_.owner().at(message.from).notify(); [[fallthrough]];
    default: deliver_bytes(message.who, message.payload(), message.bytes, op); break;
  }
}

namespace {

/// Where `sent` bytes of `op` go, and how many of them fit. Sets op's status.
struct destination {
  laid_out_target at;
  std::size_t bytes;
};
destination settle(const envelope& who, std::size_t sent, receive_op& op) {
  status& result = op.result;
  result = {.source = who.source, .tag = who.tag, .bytes = std::min(sent, op.capacity), .sent_bytes = sent};
  if (op.sink != nullptr && op.sink->form != nullptr) {
    result.bytes = std::min(sent, op.sink->capacity);
    if (sent > op.sink->capacity) result.error = errc::truncate;
    return {{static_cast<std::byte*>(op.sink->container), op.sink->form}, result.bytes};
  }
  if (op.sink != nullptr) {
    result.bytes = sent;
    void* const room = op.sink->make_room(op.sink->container, sent);
    if (room == nullptr && sent != 0) {
      result.error = errc::type;
      result.bytes = 0;
    }
    return {{static_cast<std::byte*>(room), nullptr}, result.bytes};
  }
  if (sent > op.capacity) result.error = errc::truncate;
  return {{static_cast<std::byte*>(op.buffer), nullptr}, result.bytes};
}

}  // namespace

void match_engine::deliver(in_channel& channel, record& arrived, receive_op& op) {
  if (!is_watched_) [[likely]]
    return deliver_record(channel, arrived, op);
  const std::int64_t start_ns = log_ != nullptr ? now_ns() : 0;
  const std::uint32_t number = arrived.number;
  const int from = channel.from->source();
  if (checks_ != nullptr) checks_->before_delivery(op, from, arrived.who.tag, number);
  deliver_record(channel, arrived, op);
  watch_delivery(op, {start_ns, from, number});
}

/// Of a message that is checked or logged: its bytes are there, or on their way.
void match_engine::watch_delivery(receive_op& op, const watched_delivery& how) {
  if (op.arriving != nullptr) {
    op.arriving->watched = how;
    return;
  }
  if (checks_ != nullptr) checks_->after_delivery(op);
  if (log_ != nullptr) log_->add_receive(how.start_ns, how.from, op.result.tag, op.result.bytes, how.number);
}

void match_engine::deliver_record(in_channel& channel, record& arrived, receive_op& op) {
  const envelope who = arrived.who;
  switch (arrived.kind()) {
    case record_kind::rendezvous: {
      send_op& sender = *offer_in(arrived).sender;
      pop(channel, arrived);  // first: the copy may take long, and the sender may need the room
      deliver_meeting(who, sender, op);
      return;
    }
    case record_kind::moved: deliver_moved(who, object_in(arrived), op); break;
    case record_kind::synchronous:
      self_.owner().at(channel.from->source()).notify();  // its send is complete
      deliver_bytes(who, payload_of(arrived) + sizeof(claim_reference), arrived.bytes, op);
      break;
    default: deliver_bytes(who, payload_of(arrived), arrived.bytes, op); break;
  }
  pop(channel, arrived);
}

void match_engine::deliver_bytes(const envelope& who, const void* data, std::size_t bytes, receive_op& op) {
  const destination to = settle(who, bytes, op);
  if (to.at.form == nullptr) {
    copy_payload(to.at.base, data, to.bytes);
  } else {
    copy_laid_out(to.at, {static_cast<const std::byte*>(data), nullptr}, 0, to.bytes);
  }
  op.done = true;
}

/// The end of try_deliver_eager for what is not so plain, but short as well: a synchronous message, or one that is
/// checked.
bool match_engine::try_deliver_other(in_channel& channel, record& arrived, receive_op& op) noexcept {
  if (checks_ != nullptr) return try_deliver_checked(channel, arrived, op);
  const std::size_t bytes = arrived.bytes;
  const bool is_short = bytes <= op.capacity && bytes < short_path_end_;
  if (arrived.kind() != record_kind::synchronous || !is_short) return false;
  const claim_reference claim = claim_in(arrived);
  claim.expect_to_take();
  if (!claim.take()) {  // it was cancelled
    pop(channel, arrived);
    return false;
  }
  self_.owner().at(channel.from->source()).notify();
  deliver_short(channel, arrived, payload_of(arrived) + sizeof(claim_reference), op);
  return true;
}

void match_engine::deliver_meeting(const envelope& who, send_op& sender, receive_op& op) {
  if (sender.remote != nullptr) return deliver_remote(who, *sender.remote, op);
  const destination to = settle(who, sender.meeting.bytes(), op);
  sender.meeting.take(self_, to.at, to.bytes);
  op.done = true;
}

/// Asks for the bytes, straight to where they belong if that is a row with room for all of them; test() ends it.
void match_engine::deliver_remote(const envelope& who, remote_payload& payload, receive_op& op) {
  const destination to = settle(who, payload.bytes, op);
  payload.receiver = &self_;
  payload.target = to.at;
  payload.wanted = to.bytes;
  if (to.at.form == nullptr && to.bytes == payload.bytes) payload.into = to.at.base;
  op.arriving = &payload;
  gateway_->request(payload);
}

bool match_engine::test_arriving(receive_op& op) {
  remote_payload& payload = *op.arriving;
  if (!payload.has_arrived.load(std::memory_order_acquire)) return false;  // acquire: its bytes; see remote_payload
  if (payload.kept != nullptr) {
    copy_laid_out(payload.target, {payload.kept.get(), nullptr}, 0, payload.wanted);
  }
  op.arriving = nullptr;
  op.done = true;
  if (is_watched_) watch_delivery(op, payload.watched);
  delete &payload;
  return true;
}

void match_engine::deliver_moved(const envelope& who, moved_value& object, receive_op& op) {
  if (op.sink != nullptr && op.sink->moved_type != nullptr && object.is_of_type(*op.sink->moved_type)) {
    op.result = {.source = who.source, .tag = who.tag, .bytes = object.bytes(), .sent_bytes = object.bytes()};
    op.sink->adopt(op.sink->container, object.object());
  } else if (const std::type_info* const serialized = object.serialized_type()) {
    op.result = {.source = who.source,
                 .tag = who.tag,
                 .sent_bytes = object.bytes(),
                 .error = errc::type,
                 .serialized = serialized};
  } else {
    const destination to = settle(who, object.bytes(), op);
    copy_laid_out(to.at, {static_cast<const std::byte*>(object.data()), nullptr}, 0, to.bytes);
  }
  object.reset();
  op.done = true;
}

}  // namespace pure::core
