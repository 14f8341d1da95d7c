// The short path: what an eager message executes, inline in the calls of both interfaces.
//
// No allocation, no system call, no lock, no indirect call, and no structure that is written in parts and read as a
// whole (such a read waits for the stores to reach the cache; D-call-sites).
// Everything else is in match_engine.cpp and send_queue.cpp.
#pragma once

#include <algorithm>
#include <new>
#include <utility>

#include "base/row_copy.hpp"
#include "base/small_copy.hpp"
#include "match/match_engine.hpp"

namespace pure::core {

/// The payload, not as record::payload: it goes on in the lines that follow.
inline std::byte* payload_of(record& arrived) noexcept {
  return reinterpret_cast<std::byte*>(&arrived) + record::header_bytes;
}

inline void copy_payload(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= record::first_line_payload) {
    copy_at_most_40(to, from, bytes);
  } else {
    copy_row(to, from, bytes);
  }
}

/// Writes an eager message into the ring; false if there is no room. It must be the pair's next message.
inline bool match_engine::put_eager(out_channel& channel, const envelope& who, const void* data,
                                    std::size_t bytes) noexcept {
  const std::size_t lines = record::lines_for_payload(bytes);
  record* const place = channel.to->try_reserve(lines);
  if (place == nullptr) [[unlikely]]
    return false;
  place->bytes = static_cast<std::uint32_t>(bytes);
  place->who.context = who.context;
  place->who.source = who.source;
  place->who.tag = who.tag;
  place->number = last_number_;
  copy_payload(payload_of(*place), data, bytes);
  channel.to->publish(*place, lines, record_kind::eager);
  channel.reader->notify();
  return true;
}

inline bool match_engine::try_send_now(int to, const envelope& who, const void* data, std::size_t bytes) {
  out_channel& channel = channel_to(to);
  if (bytes >= short_path_end_ || !channel.queue.empty()) return false;
  if (channel.is_elsewhere && put_elsewhere(channel, who, data, bytes)) [[unlikely]]
    return true;
  return put_eager(channel, who, data, bytes);
}

inline bool match_engine::try_send_now(int to, const envelope& who, moved_value& object) {
  out_channel& channel = channel_to(to);
  return short_path_end_ != 0 && channel.queue.empty() && put_moved(channel, who, object);
}

/// The same as put_eager for an object: its three pointers travel.
inline bool match_engine::put_moved(out_channel& channel, const envelope& who, moved_value& object) noexcept {
  record* const place = channel.to->try_reserve(1);
  if (place == nullptr) [[unlikely]]
    return false;
  place->bytes = 0;
  place->who.context = who.context;
  place->who.source = who.source;
  place->who.tag = who.tag;
  place->number = last_number_;
  ::new (static_cast<void*>(place->payload)) moved_value(std::move(object));
  channel.to->publish(*place, 1, record_kind::moved);
  channel.reader->notify();
  return true;
}

inline void match_engine::pop(in_channel& channel, const record& done) noexcept {
  if (channel.from->pop(done)) [[unlikely]]
    self_.owner().at(channel.from->source()).notify();
}

/// Delivers a message that fits, and whose bytes are at `payload` in its record, and releases the record.
inline void match_engine::deliver_short(in_channel& channel, record& arrived, const std::byte* payload,
                                        receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  copy_payload(op.buffer, payload, bytes);
  op.result.source = arrived.who.source;
  op.result.tag = arrived.who.tag;
  op.result.bytes = bytes;
  op.done = true;
  pop(channel, arrived);
}

inline bool match_engine::try_deliver_eager(in_channel& channel, record& arrived, receive_op& op) noexcept {
  const std::size_t bytes = arrived.bytes;
  if (arrived.kind() != record_kind::eager || bytes > op.capacity || bytes >= short_path_end_) [[unlikely]]
    return try_deliver_other(channel, arrived, op);
  deliver_short(channel, arrived, payload_of(arrived), op);
  return true;
}

template <class Take>
bool match_engine::try_receive_now(const receive_place& place, std::uint32_t context, int from, int tag, Take&& take) {
  if (from < 0) [[unlikely]]
    return false;
  in_channel& channel = channel_from(from);
  if (!channel.early.empty() || !channel.posted.empty() || is_never_alone_) [[unlikely]]
    return false;
  record* const arrived = channel.from->front();
  if (arrived == nullptr) return false;
  const envelope& who = arrived->who;
  const std::size_t bytes = arrived->bytes;
  if (arrived->kind() != record_kind::eager || bytes > place.capacity || bytes >= short_path_end_ ||
      who.context != context || (who.tag != tag && tag != any_tag)) [[unlikely]]
    return false;
  copy_payload(place.buffer, payload_of(*arrived), bytes);
  take(status{.source = who.source, .tag = who.tag, .bytes = bytes, .sent_bytes = bytes});
  pop(channel, *arrived);
  return true;
}

inline void match_engine::start(receive_op& op, const call* by, bool is_request) {
  if (op.from >= 0) [[likely]] {
    in_channel& channel = channel_from(op.from);
    if (channel.early.empty() && channel.posted.empty() && !is_never_alone_) [[likely]] {
      record* const arrived = channel.from->front();
      if (arrived != nullptr && op.matches(arrived->who)) {
        if (!try_deliver_eager(channel, *arrived, op)) [[unlikely]]
          start_behind_others(op, by, is_request);
        return;
      }
      op.order = receives_posted_++;
      channel.posted.push(op);
      if (!channel.streams.empty()) [[unlikely]]
        expect_next(channel, op);
      return;
    }
  }
  start_behind_others(op, by, is_request);
}

inline bool match_engine::test(receive_op& op) {
  if (op.done) return true;
  if (op.from >= 0) [[likely]] {
    in_channel& channel = *in_[op.from];
    record* const arrived = channel.from->front();
    if (arrived == nullptr) return remote_ != nullptr && op.arriving != nullptr && test_arriving(op);
    if (channel.posted.front() == &op && posted_any_.empty() && op.matches(arrived->who) && op.arriving == nullptr &&
        try_deliver_eager(channel, *arrived, op)) [[likely]] {
      channel.posted.pop_front();
      return true;
    }
  }
  poll_for(op);
  return op.done;
}

template <class Take>
bool match_engine::probe(std::uint32_t context, int from, int tag, Take&& take) {
  if (from >= 0) [[likely]] {
    in_channel& channel = channel_from(from);
    if (channel.early.empty() && channel.posted.empty() && posted_any_.empty()) [[likely]] {
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
