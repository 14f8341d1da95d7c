// What the gateway sends (gateway/outbox.cpp): packets of entries, and what is kept of a message until its sender may
// go on. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "gateway/message_streams.hpp"
#include "gateway/remote_payload.hpp"
#include "gateway/wire.hpp"
#include "match/remote_ranks.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// A message's entry, and what comes before it, if that is needed.
struct outgoing {
  wire_envelope what;
  std::optional<wire_note> note;
  out_streams* streams = nullptr;  // of its pair of ranks

  [[nodiscard]] std::size_t bytes_before_payload() const noexcept { return sizeof what + bytes_before_envelope(); }
  [[nodiscard]] std::size_t bytes_before_envelope() const noexcept {
    return (note ? sizeof *note : 0) + (streams->ends_before(what.who, what.bytes) ? sizeof(wire_envelope) : 0);
  }
};

struct packet : gateway_operation {
  explicit packet(std::size_t bytes)
      : gateway_operation(kind::packet), buffer(new std::byte[bytes]), entries(buffer.get(), bytes) {}
  /// Where the payload goes. `streams`: of the message's pair of ranks. There must be room.
  std::byte* add(const wire_envelope& message, out_streams& streams) noexcept {
    if (streams.ends_before(message.who, message.bytes)) add_end_of_run(message, streams);
    if (!streams.empty()) streams.count(message.who, number);
    return entries.add(message);
  }
  std::byte* add(const outgoing& message) noexcept;
  void add_end_of_run(const wire_envelope& before, out_streams& streams) noexcept;

  std::unique_ptr<std::byte[]> buffer;
  wire_writer entries;
  rendezvous* lent_by = nullptr;  // of a bare message that is sent from its buffer
  std::uint64_t number = 0;       // among those to its process, from 1 on
};
/// A send that somebody has to hear of: a large one, until its payload has gone; a synchronous one, until it has
/// matched.
struct open_send : gateway_operation {
  open_send() noexcept : gateway_operation(kind::payload_out) {}
  rank_context* sender = nullptr;
  int process = 0;
  claim_reference claim;     // none: of an object that has left its sender
  send_op* large = nullptr;  // whose buffer is given back in the end; null: the claim tells
  std::unique_ptr<std::byte[]> packed;
  moved_value object;  // that has left its sender for good
  bool is_payload_on_its_way = false;
  bool is_match_awaited = false;
  bool is_asked_back = false;  // and not answered
  bool is_taken_back = false;
  std::uint32_t number = 0;
};

}  // namespace pure::core
