// What the gateway sends (gateway/outbox.cpp): packets of entries, and what is kept of a message until its sender may
// go on. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "gateway/gateway_operation.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/message_streams.hpp"
#include "gateway/wire.hpp"
#include "match/remote_ranks.hpp"
#include "runtime/rank.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

/// A message's entry, and what comes before it, if that is needed.
struct outgoing {
  message_entry what;
  std::optional<wire_note> note;
  out_streams* streams = nullptr;  // of its pair of ranks

  [[nodiscard]] std::size_t bytes_before_envelope() const noexcept {
    return (note ? sizeof *note : 0) + (streams->ends_before(what.who, what.bytes) ? sizeof(wire_run_end) : 0);
  }
  /// What all of it takes in a packet. `is_inside`: its payload travels there, too.
  [[nodiscard]] std::size_t packet_bytes(bool is_inside) const noexcept {
    return bytes_before_envelope() + (is_inside ? sizeof(wire_eager) + wire::padded(what.bytes) : sizeof(wire_large));
  }
};

struct packet : gateway_operation {
  explicit packet(std::size_t bytes)
      : gateway_operation(kind::packet), buffer(new std::byte[bytes]), entries(buffer.get(), bytes) {}
  /// Where the payload goes. `streams`: of the message's pair of ranks. There must be room.
  std::byte* add(const message_entry& message, out_streams& streams) noexcept {
    if (streams.ends_before(message.who, message.bytes)) add_end_of_run(message, streams);
    if (!streams.empty()) streams.count(message.who, number);
    return message.write(entries);
  }
  std::byte* add(const outgoing& message) noexcept;
  void add_end_of_run(const message_entry& before, out_streams& streams) noexcept;

  std::unique_ptr<std::byte[]> buffer;
  wire_writer entries;
  rendezvous* lent_by = nullptr;  // of a bare message that is sent from its buffer
  std::uint64_t number = 0;       // among those to its process, from 1 on
  std::size_t place = 0;          // among those on their way (packet_pool.hpp)
};

/// A send that somebody has to hear of: a large one, until its payload has gone; a synchronous one, until it has
/// matched.
struct open_send : gateway_operation {
  open_send() noexcept : gateway_operation(kind::payload_out) {}

  /// From now on the claim's holder knows it by this number.
  void keep(const claim_reference& its) noexcept {
    claim = its;
    claimed = its.claim().of_now();
    its.claim().number_elsewhere = number;
  }

  rank_context* sender = nullptr;
  int process = 0;
  claim_reference claim;     // none: of an object that has left its sender
  claimed_send claimed;      // likewise
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
