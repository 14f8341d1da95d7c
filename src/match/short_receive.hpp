// The short path of a receive: what an eager message executes, inline in the calls of both interfaces (short_path.hpp).
#pragma once

#include "match/message_receiver.hpp"
#include "match/payload.hpp"

namespace pure::core {

/// Delivers a message that fits, and whose bytes are at `payload` in its record, and releases the record.
inline void message_receiver::deliver_short(in_channel& channel, record& arrived, const std::byte* payload,
                                            receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  copy_payload(op.buffer, payload, bytes);
  op.result.source = arrived.who.source;
  op.result.tag = arrived.who.tag;
  op.result.bytes = bytes;
  op.done = true;
  from_.pop(channel, arrived);
}

inline bool message_receiver::try_deliver_eager(in_channel& channel, record& arrived, receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  if (arrived.kind() != record_kind::eager || bytes > op.capacity || bytes >= terms_.short_path_end) [[unlikely]]
    return try_deliver_other(channel, arrived, op);
  deliver_short(channel, arrived, payload_of(arrived), op);
  return true;
}

template <class Take>
bool message_receiver::try_receive_now(const receive_place& place, std::uint32_t context, int from, int tag,
                                       Take&& take) {
  if (from < 0) [[unlikely]]
    return false;
  in_channel& channel = from_.from(from);
  if (!channel.unexpected.empty() || !channel.posted.empty() || posted_.is_never_alone()) [[unlikely]]
    return false;
  record* const arrived = channel.from->front();
  if (arrived == nullptr) return false;
  const envelope& who = arrived->who;
  const std::size_t bytes = arrived->bytes;
  if (arrived->kind() != record_kind::eager || bytes > place.capacity || bytes >= terms_.short_path_end ||
      who.context != context || (who.tag != tag && tag != any_tag)) [[unlikely]]
    return false;
  copy_payload(place.buffer, payload_of(*arrived), bytes);
  take(status{.source = who.source, .tag = who.tag, .bytes = bytes, .sent_bytes = bytes});
  from_.pop(channel, *arrived);
  return true;
}

inline void message_receiver::start(receive_op& op, const call* by, bool is_request) {
  if (op.from >= 0) [[likely]] {
    in_channel& channel = from_.from(op.from);
    if (channel.unexpected.empty() && channel.posted.empty() && !posted_.is_never_alone()) [[likely]] {
      record* const arrived = channel.from->front();
      if (arrived != nullptr && op.matches(arrived->who)) {
        if (!try_deliver_eager(channel, *arrived, op)) [[unlikely]]
          start_behind_others(op, by, is_request);
        return;
      }
      posted_.push(channel.posted, op);
      if (!channel.streams.empty()) [[unlikely]]
        expected_.expect_next(channel, op);
      return;
    }
  }
  start_behind_others(op, by, is_request);
}

inline bool message_receiver::test(receive_op& op) {
  if (op.done) return true;
  if (op.from >= 0) [[likely]] {
    in_channel& channel = from_.known(op.from);
    record* const arrived = channel.from->front();
    if (arrived == nullptr) return terms_.remote != nullptr && op.arriving != nullptr && test_arriving(op);
    if (channel.posted.front() == &op && !posted_.has_from_any() && op.matches(arrived->who) &&
        op.arriving == nullptr && try_deliver_eager(channel, *arrived, op)) [[likely]] {
      channel.posted.pop_front();
      return true;
    }
  }
  poll_for(op);
  return op.done;
}

template <class Take>
bool message_receiver::probe(std::uint32_t context, int from, int tag, Take&& take) {
  if (from >= 0) [[likely]] {
    in_channel& channel = from_.from(from);
    if (channel.unexpected.empty() && channel.posted.empty() && !posted_.has_from_any()) [[likely]] {
      const record* const arrived = channel.from->front();
      if (arrived == nullptr) return false;
      const envelope& who = arrived->who;
      if (arrived->kind() == record_kind::eager && who.context == context && (who.tag == tag || tag == any_tag))
          [[likely]] {
        const std::size_t bytes = arrived->bytes;
        take(status{.source = who.source, .tag = who.tag, .bytes = bytes, .sent_bytes = bytes});
        return true;
      }
    }
  }
  status found;
  if (!probe_all(context, from, tag, found)) return false;
  take(found);
  return true;
}

}  // namespace pure::core
