// The short path of a send: what an eager message executes, inline in the calls of both interfaces (short_path.hpp).
#pragma once

#include <new>
#include <utility>

#include "match/message_sender.hpp"
#include "match/payload.hpp"

namespace pure::core {

/// Writes an eager message into the ring; false if there is no room. It must be the pair's next message.
inline bool message_sender::put_eager(out_channel& channel, const envelope& who, const void* data,
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

inline bool message_sender::try_send_now(int to, const envelope& who, const void* data, std::size_t bytes) {
  out_channel& channel = channel_to(to);
  if (bytes >= terms_.short_path_end || !channel.queue.empty()) return false;
  if (channel.elsewhere != nullptr && put_elsewhere(channel, who, data, bytes)) [[unlikely]]
    return true;
  if (bytes > terms_.cells_from_bytes && channel.may_have_cells && put_in_cells(channel, who, data, bytes)) return true;
  return put_eager(channel, who, data, bytes);
}

inline bool message_sender::try_send_now(int to, const envelope& who, moved_value& object) {
  out_channel& channel = channel_to(to);
  return !terms_.is_watched() && channel.queue.empty() && put_moved(channel, who, object);
}

/// The same as put_eager for an object: its three pointers travel.
inline bool message_sender::put_moved(out_channel& channel, const envelope& who, moved_value& object) noexcept {
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

}  // namespace pure::core
