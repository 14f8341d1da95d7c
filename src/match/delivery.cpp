#include "match/delivery.hpp"

#include <algorithm>
#include <cstring>

#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/payload.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

void message_delivery::deliver(unexpected_message& message, receive_op& op) {
  if (terms_.is_watched()) [[unlikely]] {
    const std::int64_t start_ns = terms_.log != nullptr ? now_ns() : 0;
    if (terms_.checks != nullptr) terms_.checks->before_delivery(op, message.from, message.who.tag, message.number);
    deliver_early(message, op);
    watch_delivery(op, {start_ns, message.from, message.number});
  } else {
    deliver_early(message, op);
  }
  unexpected_message::destroy(&message);
}

void message_delivery::deliver_early(unexpected_message& message, receive_op& op) {
  switch (message.kind) {
    case record_kind::rendezvous: deliver_rendezvous(message.who, message.source, op); break;
    case record_kind::moved: deliver_moved(message.who, message.object, op); break;
    case record_kind::synchronous: tell_matched(message.from, message.claim); [[fallthrough]];
    default: deliver_bytes(message.who, message.payload(), message.bytes, op); break;
  }
}

void message_delivery::tell_matched(int sender, const claim_reference& claim) noexcept {
  job& all = self_.owner();
  if (terms_.remote != nullptr && !all.is_here(sender)) return terms_.remote->has_matched(self_, claim);
  all.notified_for(sender).notify();
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
  if (op.sink == nullptr || op.sink->takes == nullptr || !op.sink->takes(detail::operations_of_archive.type)) {
    op.result = status_of_refused(who, payload.bytes, payload.object_type);
    return {{nullptr, nullptr}, 0};
  }
  op.result = status_of(who, payload.bytes);
  payload.object.type = payload.object_type;
  payload.object.bytes.resize(payload.bytes);
  return {{payload.object.bytes.data(), nullptr}, payload.bytes};
}

}  // namespace

void message_delivery::deliver(in_channel& channel, record& arrived, receive_op& op) {
  if (!terms_.is_watched()) [[likely]]
    return deliver_record(channel, arrived, op);
  const std::int64_t start_ns = terms_.log != nullptr ? now_ns() : 0;
  const std::uint32_t number = arrived.number;
  const int from = channel.from->source();
  if (terms_.checks != nullptr) terms_.checks->before_delivery(op, from, arrived.who.tag, number);
  deliver_record(channel, arrived, op);
  watch_delivery(op, {start_ns, from, number});
}

/// Of a message that is checked or logged: its bytes are there, or on their way.
void message_delivery::watch_delivery(receive_op& op, const watched_delivery& how) {
  if (op.arriving != nullptr) {
    op.arriving->watched = how;
    test_requested(op);
    return;
  }
  if (terms_.checks != nullptr) terms_.checks->after_delivery(op);
  if (terms_.log != nullptr)
    terms_.log->add_receive(how.start_ns, how.from, op.result.tag, op.result.bytes, how.number);
}

void message_delivery::deliver_record(in_channel& channel, record& arrived, receive_op& op) {
  const envelope who = arrived.who;
  switch (arrived.kind()) {
    case record_kind::rendezvous: {
      const message_offer offer = offer_in(arrived);
      from_.pop(channel, arrived);  // first: the copy may take long, and the sender may need the room
      deliver_rendezvous(who, offer.source, op);
      return;
    }
    case record_kind::cells: {
      const destination to = settle(who, arrived.bytes, op);
      copy_from_cells(arrived, to.at, to.bytes);
      op.done = true;
      break;
    }
    case record_kind::moved: deliver_moved(who, object_in(arrived), op); break;
    case record_kind::synchronous:
      tell_matched(channel.from->source(), claim_in(arrived));
      deliver_bytes(who, payload_of(arrived) + sizeof(claim_reference), arrived.bytes, op);
      break;
    default: deliver_bytes(who, payload_of(arrived), arrived.bytes, op); break;
  }
  from_.pop(channel, arrived);
}

void message_delivery::deliver_bytes(const envelope& who, const void* data, std::size_t bytes, receive_op& op) {
  const destination to = settle(who, bytes, op);
  if (to.at.form == nullptr) {
    copy_payload(to.at.base, data, to.bytes);
  } else {
    copy_laid_out(to.at, {static_cast<const std::byte*>(data), nullptr}, 0, to.bytes);
  }
  op.done = true;
}

void message_delivery::deliver_rendezvous(const envelope& who, const rendezvous_source& of, receive_op& op) {
  if (of.elsewhere != nullptr) return deliver_remote(who, *of.elsewhere, op);
  const destination to = settle(who, of.here->rendezvous.bytes(), op);
  of.here->rendezvous.take(self_, to.at, to.bytes);
  op.done = true;
}

/// Asks for the bytes, straight to where they belong if that is a row with room for all of them; test() ends it.
void message_delivery::deliver_remote(const envelope& who, arriving_message& payload, receive_op& op) {
  const destination to = payload.object_type != nullptr ? settle_object(who, payload, op)
                                                        : settle(who, payload.bytes, op);
  if (payload.is_of_stream) from_.known(payload.from).streams.note(who);
  payload.receiver = &self_;
  payload.target = to.at;
  payload.wanted = to.bytes;
  if (to.at.form == nullptr && to.bytes == payload.bytes) payload.into = to.at.base;
  op.arriving = &payload;
  terms_.remote->request(payload);
  if (!terms_.is_watched()) test_requested(op);  // they may be here already
}

[[gnu::noinline]] bool message_delivery::test_requested(receive_op& op) {
  arriving_message& payload = *op.arriving;
  if (!payload.has_arrived.load(std::memory_order_acquire)) return false;  // acquire: pairs with has_come()
  // What is logged is this rank's own work on it, inside the wait or test that ends it: slices of a timeline lie in
  // each other, or apart.
  if (terms_.log != nullptr) payload.watched.start_ns = now_ns();
  if (payload.kept != nullptr) {
    copy_laid_out(payload.target, {payload.kept.get(), nullptr}, 0, payload.wanted);
  }
  if (payload.object.type != nullptr) op.sink->adopt(op.sink->container, &payload.object);
  op.arriving = nullptr;
  op.done = true;
  if (terms_.is_watched()) watch_delivery(op, payload.watched);
  terms_.remote->release(payload);
  return true;
}

void message_delivery::deliver_moved(const envelope& who, moved_value& object, receive_op& op) {
  if (op.sink != nullptr && op.sink->takes != nullptr && object.is_taken_by(op.sink->takes)) {
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
