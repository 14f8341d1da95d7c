// A large message of another process, from its envelope to its last byte. The record and the unexpected message that
// stand for it point to it; its bytes are in the network, until the receiver that matches it asks the gateway for them
// (gateway.hpp).
//
// Made by the gateway, from its pool. From request() to has_arrived it is the gateway's again, and afterwards the
// receiving rank's, until release(). An expected one is made before anything of it is here, with its receive, which may
// come to nothing (gateway::expect). Until it is requested the gateway may receive its bytes on its own (into `kept`),
// but the rank does not look at that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pure/detail/archive.hpp>

#include "base/cache_line.hpp"
#include "layout/layout.hpp"
#include "match/handed_over.hpp"
#include "match/message_streams.hpp"
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

/// What is noted of a message that is checked or logged.
struct watched_delivery {
  std::int64_t start_ns = 0;
  int from = 0;
  std::uint32_t number = 0;
};

struct alignas(pair_bytes) remote_payload : gateway_operation {
  remote_payload() noexcept : gateway_operation(kind::payload_in) {}

  // Of one whose receive was posted before anything of it was known. waiting: it is not known yet. taken: it is what
  // its receive has matched, and has arrived or will. given_up: something else has come, or will. Nothing happens to
  // waiting and given_up ones but that the state changes, and that release() follows.
  enum class expectation : std::uint8_t { none, waiting, taken, given_up };

  // What an expected one has comes first: it is made between two messages, with caches that the first has emptied.

  // --- constant ---
  int process = 0;
  int tag = 0;   // of the payload in the network
  int from = 0;  // the sender, in the job
  // --- by the gateway ---
  bool is_unreceived = true;  // no rank has got it yet
  bool is_posted = false;
  bool is_requested = false;
  bool is_announced = false;       // expected, and its envelope is here
  bool is_being_given_up = false;  // expected, and its receive has been cancelled
  bool holds_back = false;         // and what comes in its pair waits until that is decided
  // release: what has come of it, before any later message of the stream; acquire by the receiver
  std::atomic<expectation> state{expectation::none};
  // release: the last that the gateway does with it; acquire by the receiver
  std::atomic<bool> has_arrived{false};
  bool is_kept_by_stream = false;  // for its next messages (payload_pool.hpp)
  // release: the last that its receiver does with it, if a stream keeps it; acquire by the gateway
  std::atomic<bool> is_released{false};
  std::unique_ptr<std::byte[]> kept;  // of an expected one: no rank has posted a receive (gateway_runs.cpp)
  remote_payload* next_released = nullptr;
  // --- constant ---
  std::size_t bytes = 0;
  in_stream* stream = nullptr;  // whose tag it has
  // --- by the receiver, before request(); of an expected one, constant ---
  rank_context* receiver = nullptr;
  std::byte* into = nullptr;  // where the bytes shall lie; null: in `kept`

  // --- constant ---
  std::uint32_t number = 0;  // by which its sender knows it,
  bool names_send = false;   // if that may ask for it back
  std::int32_t message_tag = 0;
  bool is_synchronous = false;
  bool is_of_stream = false;          // message_streams.hpp
  handed_over* claim = nullptr;       // which its receiver takes, unless the sender has it back
  const char* object_type = nullptr;  // it is a serialized object
  // --- by the receiver, before request() ---
  laid_out_target target{nullptr, nullptr};  // where the first `wanted` of those in `kept` go in the end
  std::size_t wanted = 0;
  watched_delivery watched;
  detail::archive object;  // which a receive that asks for one gets
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
