// A large message of another process (match/arriving_message.hpp), and what the gateway keeps for it, from its envelope
// to its last byte. The pool (payload_pool.hpp) has it; by the holder of the network lock, but for what its receiver
// writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cache_line.hpp"
#include "gateway/handed_over.hpp"
#include "gateway/message_streams.hpp"
#include "match/arriving_message.hpp"
#include "network/network.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// Something that the gateway has under way in the network, and what it is.
struct gateway_operation {
  enum class kind : std::uint8_t { packet, payload_out, payload_in, step };

  explicit gateway_operation(kind of) noexcept : what(of) { going.owner = this; }
  gateway_operation(const gateway_operation&) = delete;
  gateway_operation& operator=(const gateway_operation&) = delete;

  network_operation going;
  const kind what;
};

/// A large message of another process: what its receiver sees of it, and what the gateway knows besides.
struct alignas(pair_bytes) remote_payload : arriving_message, gateway_operation {
  remote_payload() noexcept : gateway_operation(kind::payload_in) {}

  // --- constant ---
  int process = 0;
  int tag = 0;  // of the payload in the network
  // --- by the gateway ---
  bool is_unreceived = true;  // no rank has got it yet
  bool is_posted = false;
  bool is_requested = false;
  bool is_announced = false;       // expected, and its envelope is here
  bool is_being_given_up = false;  // expected, and its receive has been cancelled
  bool holds_back = false;         // and what comes in its pair waits until that is decided
  bool is_kept_by_stream = false;  // for its next messages (payload_pool.hpp)
  // release: the last that its receiver does with it, if a stream keeps it; acquire: pairs with it, in get_again()
  std::atomic<bool> is_released{false};
  remote_payload* next_released = nullptr;
  // --- constant ---
  in_stream* stream = nullptr;  // whose tag it has
  std::uint32_t number = 0;     // by which its sender knows it,
  bool names_send = false;      // if that may ask for it back
  std::int32_t message_tag = 0;
  bool is_synchronous = false;
  handed_over* claim = nullptr;  // which its receiver takes, unless the sender has it back
  // --- by the gateway ---
  bool was_seen = false;    // by a look for what nobody has requested
  bool is_counted = false;  // it was received before it was requested
  bool is_dropped = false;  // its sender has it back
  bool is_here = false;     // in `kept`
  remote_payload* next_requested = nullptr;
  remote_payload* sent_before = nullptr;  // in the list of those that are not posted (unposted_payloads)
  remote_payload* sent_after = nullptr;
  std::uint64_t order = 0;
};

}  // namespace pure::core
