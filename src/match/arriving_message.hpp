// A large message of another process, as the receive that gets it sees it. The record and the unexpected message that
// stand for it point to it; its bytes are in the network, until the rank that matches it asks for them
// (remote_ranks::request). An expected one is made before anything of it is here, with its receive, which may come to
// nothing (remote_ranks::expect).
//
// Made by whoever implements remote_ranks. From request() to has_arrived it is theirs again, and afterwards the
// receiving rank's, until release().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pure/detail/archive.hpp>

#include "layout/layout.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// What is noted of a message that is checked or logged.
struct watched_delivery {
  std::int64_t start_ns = 0;
  int from = 0;
  std::uint32_t number = 0;
};

struct arriving_message {
  // An expected message is one whose receive was posted before anything of it was known.
  //   waiting   nothing is known of it yet
  //   taken     its receive has matched it; it has arrived, or will
  //   given_up  its receive has matched something else, or will: only release() follows
  enum class expectation : std::uint8_t { none, waiting, taken, given_up };

  // Fields of expected messages come first: these are made between two messages, whose bytes have emptied the caches.

  // release: what has come of it, before any later message of the stream; acquire: pairs with it, in the receiver's
  // expected_receives::test()
  std::atomic<expectation> state{expectation::none};
  // release: the last that the network's side does with it; acquire: pairs with it, in
  // message_delivery::test_requested()
  std::atomic<bool> has_arrived{false};
  // --- constant, but that `bytes` of an expected one are at first what there is room for ---
  int from = 0;             // the sender, in the job
  std::int32_t source = 0;  // of an expected one: the sender, in the communicator
  std::size_t bytes = 0;
  // --- by the receiver, before request(); of an expected one, constant ---
  rank_context* receiver = nullptr;
  std::byte* into = nullptr;  // where the bytes shall lie; null: in `kept`
  std::unique_ptr<std::byte[]> kept;

  // --- constant ---
  bool is_of_stream = false;          // the next ones like it can be expected
  const char* object_type = nullptr;  // it is a serialized object
  // --- by the receiver, before request() ---
  laid_out_target target{nullptr, nullptr};  // where the first `wanted` of those in `kept` go in the end
  std::size_t wanted = 0;
  watched_delivery watched;
  detail::archive object;  // which a receive that asks for one gets

 protected:
  arriving_message() noexcept = default;
  ~arriving_message() = default;
};

}  // namespace pure::core
