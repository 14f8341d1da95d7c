#include "comm/point_to_point.hpp"

#include <fmt/core.h>

#include "match/checked_path.hpp"
#include "match/wait_kinds.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

Error bad_argument(const communicator& comm, const call& by, errc code, const std::string& text) {
  return call_error(by, code, fmt::format("rank {} of {}: {}", comm.rank(), comm.name(), text));
}

void throw_bad_argument(const communicator& comm, const call& by, errc code, const std::string& text) {
  throw bad_argument(comm, by, code, text);
}

namespace p2p {

void throw_bad_rank(const communicator& comm, const call& by, const char* role, int rank) {
  throw_bad_argument(
      comm, by, errc::rank,
      fmt::format("{} rank {} is out of range: the communicator has ranks 0 to {}", role, rank, comm.size() - 1));
}

void throw_bad_tag(const communicator& comm, const call& by, int tag) {
  throw_bad_argument(comm, by, errc::tag, fmt::format("tag {} is out of range: tags are 0 to 2147483647", tag));
}

void start_and_wait(communicator& comm, const call& by, send_op& op) {
  message_sender& sender = comm.sender();
  sender.start(op);
  const wait_kind& what = op.now == send_op::stage::queued ? room_for_message_to : receive_by;
  wait_until(comm.owner(), {by, what, op.to, op.who.tag, true}, [&] { return sender.test(op); });
}

namespace {

/// Not inlined: its op is large, and a checked send, which needs none, would pay for the frame.
[[gnu::noinline]] void send_bytes(communicator& comm, const call& by, const void* data, std::size_t bytes, int to,
                                  int tag, bool is_synchronous, std::uint32_t number) {
  send_op op;
  op.data = data;
  op.bytes = bytes;
  op.who = envelope_of(comm, tag);
  op.to = to;
  op.is_blocking = true;
  op.is_synchronous = is_synchronous;
  op.number = number;
  start_and_wait(comm, by, op);
}

[[gnu::noinline]] void wait_for_own_buffer(communicator& comm, const call& by, int to, int tag) {
  wait_until(comm.owner(), {by, receive_by, to, tag, true}, [&] { return comm.sender().has_own_buffer(); });
}

}  // namespace

/// The slow way of a blocking send: the ring is full, or the message is large. To another process it may leave at once,
/// and then nobody needs an op for it.
void send_and_wait(communicator& comm, const call& by, const void* data, std::size_t bytes, int to, int tag) {
  message_checks* const checks = comm.engine().checks();
  if (checks == nullptr) {
    switch (comm.sender().try_send_elsewhere(to, envelope_of(comm, tag), data, bytes)) {
      case message_sender::instant_send::sent: return;
      case message_sender::instant_send::lent: return wait_for_own_buffer(comm, by, to, tag);
      case message_sender::instant_send::refused: return send_bytes(comm, by, data, bytes, to, tag, false, 0);
    }
  }
  checks->require_free(by, data, bytes, to, tag);
  if (!comm.sender().try_send_checked(to, envelope_of(comm, tag), data, bytes, by)) {
    send_bytes(comm, by, data, bytes, to, tag, false, checks->add_send(by));
  }
}

void send_synchronous(communicator& comm, const call& by, const void* data, std::size_t bytes, int to, int tag) {
  message_sender& sender = comm.sender();
  if (send_claim* const claim = sender.try_send_firm(to, envelope_of(comm, tag), data, bytes)) {
    wait_until(comm.owner(), {by, receive_by, to, tag, true}, [claim] { return claim->is_taken(); });
    sender.give_back(*claim);
    return;
  }
  message_checks* const checks = comm.engine().checks();
  const std::uint32_t number = checks != nullptr ? checks->send_starts(by, data, bytes, to, tag) : 0;
  send_bytes(comm, by, data, bytes, to, tag, true, number);
}

void throw_failed(communicator& comm, const call& by, const receive_op& op) {
  comm.requests().throw_failed(by, comm.rank(), op.result);
}

void wait_for(communicator& comm, const call& by, receive_op& op) {
  message_receiver& receiver = comm.receiver();
  wait_until(comm.owner(), wait_for_message_of(by, op.from, op.tag), [&] { return receiver.test(op); });
}

}  // namespace p2p

void send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return;
  if (comm.sender().try_send_now(comm.number_of(dest), p2p::envelope_of(comm, tag), object)) return;
  send_op op;
  if (message_checks* const checks = comm.engine().checks()) {
    op.number = checks->send_starts(by, nullptr, 0, comm.number_of(dest), tag);
  }
  op.is_moved = true;
  op.object = std::move(object);
  op.who = p2p::envelope_of(comm, tag);
  op.to = comm.number_of(dest);
  p2p::start_and_wait(comm, by, op);
}

status send_receive(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int send_tag,
                    const receive_place& place, int source, int receive_tag) {
  p2p::check_receive(comm, by, source, receive_tag);  // before anything has started
  p2p::check_send(comm, by, dest, send_tag);
  handle both[2] = {start_receive(comm, by, place, source, receive_tag)};
  try {
    both[1] = start_send(comm, by, data, bytes, dest, send_tag, {.is_blocking = true});
  } catch (const Error&) {  // its buffer is in use
    comm.requests().abandon(both[0]);
    throw;
  }
  comm.requests().wait_all(by, both);
  comm.requests().finish(both[1]);
  status result;
  comm.requests().finish_or_throw(by, both[0], [&](const status& outcome) { result = outcome; });
  return result;
}

handle start_send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return finished_send;
  return comm.requests().start_send_moved(by, comm.number_of(dest), p2p::envelope_of(comm, tag), std::move(object));
}

}  // namespace pure::core
