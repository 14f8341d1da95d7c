// The rest of point-to-point on a communicator: send modes, probes, persistent messages, send-receives as requests,
// messages that are laid out (MPI 4.1, chapters 3 and 5). point_to_point.hpp has the standard ones.
//
// Called by the communicator's rank on its own thread. All throw pure::Error: rank, tag, and what point_to_point.hpp
// says.
#pragma once

#include <cstddef>

#include "comm/point_to_point.hpp"
#include "match/receive_op.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

/// Blocking. Synchronous: returns when a receive has matched. Buffered: returns at once; throws buffer if there is no
/// room. Ready: a standard send.
void send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes, int dest,
                  int tag);
handle start_send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes,
                          int dest, int tag);

// ---- the same, and receives, of messages that may be laid out; the layout lives as long as the operation ----

void send_in_mode(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest, int tag);
handle start_send_in_mode(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest,
                          int tag);
status receive(communicator& comm, const call& by, const placed_message& where, int source, int tag);
handle start_receive(communicator& comm, const call& by, const placed_message& where, int source, int tag);
status send_receive(communicator& comm, const call& by, const placed_message& what, int dest, int send_tag,
                    const placed_message& where, int source, int receive_tag);

// ---- probes ----

/// The message that a receive with these arguments would match, for take_status. Blocks until there is one.
template <class TakeStatus>
void probe(communicator& comm, const call& by, int source, int tag, TakeStatus&& take_status) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    take_status(status{.source = proc_null, .tag = any_tag});
    return;
  }
  const int from = p2p::sender_number(comm, source);
  wait_until(comm.owner(), wait_for_message_of(by, from, tag),
             [&, context = comm.context()] { return comm.receiver().probe(context, from, tag, take_status); });
}
/// The same without blocking: false if there is none. Makes progress.
bool probe_now(communicator& comm, const call& by, int source, int tag, status& found);

/// Takes that message out, for receive_message() and start_receive_message() of the requests.
handle matched_probe(communicator& comm, const call& by, int source, int tag, status& found);
/// Without blocking: null if there is none.
handle matched_probe_now(communicator& comm, const call& by, int source, int tag, status& found);

/// Receives a message that was taken out; the status says whether it was truncated.
status receive_message(communicator& comm, const call& by, handle& message, const placed_message& where);
handle start_receive_message(communicator& comm, const call& by, handle& message, const placed_message& where);

// ---- persistent messages: inactive, for start() ----

handle make_persistent_send(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest,
                            int tag);
handle make_persistent_receive(communicator& comm, const call& by, const placed_message& where, int source, int tag);

// ---- a send and a receive behind one request ----

handle start_send_receive(communicator& comm, const call& by, const placed_message& what, int dest, int send_tag,
                          const placed_message& where, int source, int receive_tag);
/// The message at `there` goes out, and another comes in, in its place.
status send_receive_replace(communicator& comm, const call& by, const placed_message& there, int dest, int send_tag,
                            int source, int receive_tag);
handle start_send_receive_replace(communicator& comm, const call& by, const placed_message& there, int dest,
                                  int send_tag, int source, int receive_tag);

}  // namespace pure::core
