// Point-to-point messages on a communicator: arguments checked, ranks translated (MPI 4.1, chapter 3).
//
// Called by the communicator's rank on its own thread. All throw pure::Error: rank, tag, and for receives truncate and
// type. Buffers, counts and types are checked by the interfaces, which know how the caller wrote them.
#pragma once

#include <cstddef>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "match/status.hpp"

namespace pure::core {

/// Blocking standard-mode send: returns when `data` may be reused.
void send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag);
void send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag);
/// Blocking receive. A failed one throws after the part that fits is delivered.
status receive(communicator& comm, const call& by, const receive_place& place, int source, int tag);
status send_receive(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int send_tag,
                    const receive_place& place, int source, int receive_tag);

handle start_send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag);
handle start_send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag);
handle start_receive(communicator& comm, const call& by, const receive_place& place, int source, int tag);

/// Ends a call with an error about its arguments: "OPERATION: rank R of COMM: TEXT\n  at SITE".
[[noreturn]] void throw_bad_argument(const communicator& comm, const call& by, errc code, const std::string& text);

}  // namespace pure::core
