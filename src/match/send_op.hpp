// One send that could not be finished by writing one record: it waits for room in the ring, or for its receiver.
//
// Belongs to the sending rank, apart from `rendezvous`, which a receiver uses that has taken the claim.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/layout.hpp"
#include "transport/moved_value.hpp"
#include "transport/record.hpp"
#include "transport/rendezvous.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

struct send_manner {
  bool is_synchronous = false;  // complete when a receive has matched (MPI 4.1, 3.4)
  bool is_blocking = false;     // its call waits for it: nobody can cancel it
};

struct send_op : send_manner {
  enum class stage : std::uint8_t {
    queued,     // in its channel's queue, for want of room in the ring
    offered,    // the rendezvous is in the ring; or the network has the buffer
    unmatched,  // synchronous: the message is in the ring
    done
  };

  send_op* next = nullptr;    // in its channel's queue,
  send_op* before = nullptr;  // both ways
  const void* data = nullptr;
  std::size_t bytes = 0;
  const layout* form = nullptr;  // of the data; null: in a row
  envelope who;
  std::int32_t to = 0;  // the receiver's number in the job
  stage now = stage::done;
  bool is_moved = false;          // `object` travels, not bytes
  std::uint32_t number = 0;       // where messages are checked: what message_checks::send_starts has given
  std::size_t offered_index = 0;  // in the engine's list of offered sends
  moved_value object;
  send_claim* claim = nullptr;  // while it is offered or unmatched: of the engine's pool
  bool is_checked = false;      // its buffer is: message_checks.hpp
  bool is_taken_back = false;   // from another process, by cancel()
  core::rendezvous rendezvous;
};

}  // namespace pure::core
