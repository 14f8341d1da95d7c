// The end of a match: the message goes to where the receive says, or is asked for, if it is in another process.
#include <algorithm>
#include <cstring>
#include <typeinfo>

#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/remote_ranks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

/// Of a message that is this rank's: it destroys it.
void match_engine::deliver(unexpected_message& message, receive_op& op) {
  if (is_watched_) [[unlikely]] {
    const std::int64_t start_ns = log_ != nullptr ? now_ns() : 0;
    if (checks_ != nullptr) checks_->before_delivery(op, message.from, message.who.tag, message.number);
    deliver_early(message, op);
    watch_delivery(op, {start_ns, message.from, message.number});
  } else {
    deliver_early(message, op);
  }
  unexpected_message::destroy(&message);
}

void match_engine::deliver_early(unexpected_message& message, receive_op& op) {
  switch (message.kind) {
    case record_kind::rendezvous: deliver_rendezvous(message.who, message.source, op); break;
    case record_kind::moved: deliver_moved(message.who, message.object, op); break;
    case record_kind::synchronous: tell_matched(message.from, message.claim); [[fallthrough]];
    default: deliver_bytes(message.who, message.payload(), message.bytes, op); break;
  }
}

/// Of a synchronous message that is short: its send is complete.
void match_engine::tell_matched(int sender, const claim_reference& claim) noexcept {
  rank_context& peer = self_.owner().at(sender);
  if (remote_ != nullptr && peer.is_proxy()) return remote_->has_matched(self_, claim);
  peer.notify();
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

/// Of an object that a receive of plain data has met.
status status_of_refused(const envelope& who, std::size_t bytes, const char* serialized) noexcept {
  return {.source = who.source, .tag = who.tag, .sent_bytes = bytes, .error = errc::type, .serialized = serialized};
}

/// As settle() for a serialized object: its bytes go into memory that becomes the receive's, or nowhere.
destination settle_object(const envelope& who, arriving_message& payload, receive_op& op) {
  if (op.sink == nullptr || op.sink->moved_type == nullptr || *op.sink->moved_type != typeid(detail::archive)) {
    op.result = status_of_refused(who, payload.bytes, payload.object_type);
    return {{nullptr, nullptr}, 0};
  }
  op.result = status_of(who, payload.bytes);
  payload.object.type = payload.object_type;
  payload.object.bytes.resize(payload.bytes);
  return {{payload.object.bytes.data(), nullptr}, payload.bytes};
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
    test_arriving(op);
    return;
  }
  if (checks_ != nullptr) checks_->after_delivery(op);
  if (log_ != nullptr) log_->add_receive(how.start_ns, how.from, op.result.tag, op.result.bytes, how.number);
}

void match_engine::deliver_record(in_channel& channel, record& arrived, receive_op& op) {
  const envelope who = arrived.who;
  switch (arrived.kind()) {
    case record_kind::rendezvous: {
      const message_offer offer = offer_in(arrived);
      pop(channel, arrived);  // first: the copy may take long, and the sender may need the room
      deliver_rendezvous(who, offer.source, op);
      return;
    }
    case record_kind::moved: deliver_moved(who, object_in(arrived), op); break;
    case record_kind::synchronous:
      tell_matched(channel.from->source(), claim_in(arrived));
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

bool match_engine::receive_now(ring& from, const envelope& who, const std::byte* payload, std::size_t bytes) noexcept {
  in_channel* const channel = in_[from.source()];
  if (is_watched_ || channel == nullptr || channel->from != &from || from.front() != nullptr) return false;
  const auto can_take = [bytes](const receive_op* op) {
    return op != nullptr && op->sink == nullptr && bytes <= op->capacity;
  };
  receive_op* op = channel->posted.front();
  if (posted_any_.empty() && can_take(op) && op->arriving == nullptr && op->matches(who)) [[likely]] {
    channel->posted.pop_front();
  } else {
    const posted_place found = find_posted(*channel, who);
    if (!can_take(found.at.entry)) return false;
    op = &take_posted(found);
  }
  copy_payload(op->buffer, payload, bytes);
  op->result = status_of(who, bytes);
  op->done = true;
  return true;
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
  tell_matched(channel.from->source(), claim);
  deliver_short(channel, arrived, payload_of(arrived) + sizeof(claim_reference), op);
  return true;
}

void match_engine::deliver_rendezvous(const envelope& who, const rendezvous_source& of, receive_op& op) {
  if (of.elsewhere != nullptr) return deliver_remote(who, *of.elsewhere, op);
  const destination to = settle(who, of.here->rendezvous.bytes(), op);
  of.here->rendezvous.take(self_, to.at, to.bytes);
  op.done = true;
}

/// Asks for the bytes, straight to where they belong if that is a row with room for all of them; test() ends it.
void match_engine::deliver_remote(const envelope& who, arriving_message& payload, receive_op& op) {
  const destination to = payload.object_type != nullptr ? settle_object(who, payload, op)
                                                        : settle(who, payload.bytes, op);
  if (payload.is_of_stream) note_stream(*in_[payload.from], who);
  payload.receiver = &self_;
  payload.target = to.at;
  payload.wanted = to.bytes;
  if (to.at.form == nullptr && to.bytes == payload.bytes) payload.into = to.at.base;
  op.arriving = &payload;
  remote_->request(payload);
  if (!is_watched_) test_arriving(op);  // they may be here already
}

bool match_engine::test_arriving(receive_op& op) {
  const arriving_message& payload = *op.arriving;
  const bool is_expected = payload.state.load(std::memory_order_relaxed) != arriving_message::expectation::none;
  return is_expected ? test_expected(op) : test_requested(op);
}

[[gnu::noinline]] bool match_engine::test_requested(receive_op& op) {
  arriving_message& payload = *op.arriving;
  if (!payload.has_arrived.load(std::memory_order_acquire)) return false;  // acquire: pairs with has_come()
  // What is logged is this rank's own work on it, inside the wait or test that ends it: slices of a timeline lie in
  // each other, or apart.
  if (log_ != nullptr) payload.watched.start_ns = now_ns();
  if (payload.kept != nullptr) {
    copy_laid_out(payload.target, {payload.kept.get(), nullptr}, 0, payload.wanted);
  }
  if (payload.object.type != nullptr) op.sink->adopt(op.sink->container, &payload.object);
  op.arriving = nullptr;
  op.done = true;
  if (is_watched_) watch_delivery(op, payload.watched);
  remote_->release(payload);
  return true;
}

void match_engine::deliver_moved(const envelope& who, moved_value& object, receive_op& op) {
  if (op.sink != nullptr && op.sink->moved_type != nullptr && object.is_of_type(*op.sink->moved_type)) {
    op.result = status_of(who, object.bytes());
    op.sink->adopt(op.sink->container, object.object());
  } else if (const char* const serialized = object.serialized_type()) {
    op.result = status_of_refused(who, object.bytes(), serialized);
  } else {
    const destination to = settle(who, object.bytes(), op);
    copy_laid_out(to.at, {static_cast<const std::byte*>(object.data()), nullptr}, 0, to.bytes);
  }
  object.reset();
  op.done = true;
}

}  // namespace pure::core
