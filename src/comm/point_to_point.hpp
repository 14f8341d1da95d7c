// Point-to-point messages on a communicator: arguments checked, ranks translated (MPI 4.1, chapter 3).
//
// Called by the communicator's rank on its own thread. All throw pure::Error: rank, tag, and for receives truncate and
// type. Buffers, counts and types are checked by the interfaces, which know how the caller wrote them.
#pragma once

#include <cstddef>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "match/short_path.hpp"
#include "match/status.hpp"

namespace pure::core {

/// An error about the arguments of a call: "OPERATION: rank R of COMM: TEXT\n  at SITE".
[[nodiscard]] Error bad_argument(const communicator& comm, const call& by, errc code, const std::string& text);
/// Ends the call with it.
[[noreturn]] void throw_bad_argument(const communicator& comm, const call& by, errc code, const std::string& text);

void send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag);
status send_receive(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int send_tag,
                    const receive_place& place, int source, int receive_tag);
handle start_send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag);

namespace p2p {  // what the inline functions need

[[noreturn]] void throw_bad_rank(const communicator& comm, const call& by, const char* role, int rank);
[[noreturn]] void throw_bad_tag(const communicator& comm, const call& by, int tag);
void send_and_wait(communicator& comm, const call& by, const void* data, std::size_t bytes, int to, int tag);
void send_synchronous(communicator& comm, const call& by, const void* data, std::size_t bytes, int to, int tag);
/// Starts it, and blocks until it is complete.
void start_and_wait(communicator& comm, const call& by, send_op& op);
[[noreturn]] void throw_failed(communicator& comm, const call& by, const receive_op& op);
void wait_for(communicator& comm, const call& by, receive_op& op);

/// True if there is somebody to send to.
inline bool check_send(const communicator& comm, const call& by, int dest, int tag) {
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(comm.size())) [[unlikely]] {
    if (dest != proc_null) throw_bad_rank(comm, by, "destination", dest);
  }
  if (tag < 0) [[unlikely]]
    throw_bad_tag(comm, by, tag);
  return dest != proc_null;
}

inline bool check_receive(const communicator& comm, const call& by, int source, int tag) {
  if (static_cast<unsigned>(source) >= static_cast<unsigned>(comm.size())) [[unlikely]] {
    if (source != any_source && source != proc_null) throw_bad_rank(comm, by, "source", source);
  }
  if (tag < 0 && tag != any_tag) [[unlikely]]
    throw_bad_tag(comm, by, tag);
  return source != proc_null;
}

inline int sender_number(const communicator& comm, int source) noexcept {
  return source == any_source ? any_source : comm.number_of(source);
}

inline envelope envelope_of(const communicator& comm, int tag) noexcept { return {comm.context(), comm.rank(), tag}; }

}  // namespace p2p

/// Blocking standard-mode send: returns when `data` may be reused.
inline void send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return;
  const int to = comm.number_of(dest);
  if (comm.sender().try_send_now(to, p2p::envelope_of(comm, tag), data, bytes)) [[likely]]
    return;
  p2p::send_and_wait(comm, by, data, bytes, to, tag);
}

/// Blocking receive; `take_status` is called with what came. A failed receive throws after the part that fits is
/// delivered.
template <class TakeStatus>
void receive(communicator& comm, const call& by, const receive_place& place, int source, int tag,
             TakeStatus&& take_status) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    take_status(status{.source = proc_null, .tag = any_tag});
    return;
  }
  const int from = p2p::sender_number(comm, source);
  if (comm.receiver().try_receive_now(place, comm.context(), from, tag, take_status)) return;
  receive_op op(place, comm.context(), from, tag);
  comm.receiver().start(op, &by);
  if (!op.done) p2p::wait_for(comm, by, op);
  if (op.result.error != errc::success) [[unlikely]]
    p2p::throw_failed(comm, by, op);
  take_status(op.result);
}

inline handle start_send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag,
                         send_manner how = {}) {
  if (!p2p::check_send(comm, by, dest, tag)) return finished_send;
  return comm.requests().start_send(by, comm.number_of(dest), p2p::envelope_of(comm, tag), data, bytes, how);
}

inline handle start_receive(communicator& comm, const call& by, const receive_place& place, int source, int tag) {
  if (!p2p::check_receive(comm, by, source, tag)) return finished_receive;
  return comm.requests().start_receive(by, place, comm.context(), p2p::sender_number(comm, source), tag);
}

}  // namespace pure::core
