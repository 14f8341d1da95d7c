// One send that could not be finished by writing one record: it waits for room in the ring, or for its receiver.
//
// Belongs to the sending rank, apart from `meeting`, which the receiver uses between `offered` and its end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/moved_value.hpp"
#include "transport/record.hpp"
#include "transport/rendezvous.hpp"

namespace pure::core {

struct send_op {
  enum class stage : std::uint8_t {
    queued,   // in its channel's queue, for want of room in the ring
    offered,  // the rendezvous is in the ring
    done
  };

  send_op* next = nullptr;  // in its channel's queue
  const void* data = nullptr;
  std::size_t bytes = 0;
  envelope who;
  std::int32_t to = 0;  // the receiver's number in the job
  stage now = stage::done;
  bool is_moved = false;           // `object` travels, not bytes
  std::size_t offered_index = 0;   // in the engine's list of offered sends
  moved_value object;
  rendezvous meeting;
};

}  // namespace pure::core
