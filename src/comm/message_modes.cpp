#include "comm/message_modes.hpp"

#include <memory>
#include <utility>

#include "match/message_checks.hpp"
#include "match/message_content.hpp"
#include "match/message_exchange.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

constexpr status from_nobody{.source = proc_null, .tag = any_tag};

/// A request for both halves of a send-receive, started; either may be with the null process. The message goes out from
/// `copy`, if there is one.
handle start_exchange(communicator& comm, const call& by, const placed_message& what, int dest, int send_tag,
                      const placed_message& where, int source, int receive_tag, std::unique_ptr<std::byte[]> copy) {
  p2p::check_receive(comm, by, source, receive_tag);
  p2p::check_send(comm, by, dest, send_tag);
  auto both = std::make_unique<message_exchange>(comm.engine());
  if (source != proc_null) {
    both->set_receive(where, comm.context(), p2p::sender_number(comm, source), receive_tag);
  }
  if (dest != proc_null) both->set_send(comm.number_of(dest), p2p::envelope_of(comm, send_tag), what);
  both->keep(std::move(copy));
  message_exchange& started = *both;
  const handle name = comm.requests().adopt(by, std::move(both));
  try {
    started.start_both(by);
  } catch (const Error&) {  // a buffer is in use
    comm.requests().discard(name);
    throw;
  }
  return name;
}

/// Where a message is received at once; the sink must outlive the call.
receive_place place_for(const placed_message& where, const receive_sink& sink) noexcept {
  if (where.form == nullptr) return {where.base, where.bytes, nullptr};
  return {nullptr, 0, &sink};
}

/// Blocks until an operation is complete, and ends it.
status complete(communicator& comm, const call& by, handle started) {
  comm.requests().wait(by, started);
  status result;
  comm.requests().finish_or_throw(by, started, [&result](const status& outcome) { result = outcome; });
  return result;
}

/// Calls look() until it finds something.
template <class Look>
void wait_for_message(communicator& comm, const call& by, int source, int tag, Look look) {
  bool is_found = false;  // a wait asks again after it was told, a message must not be taken twice
  wait_until(comm.owner(), wait_for_message_of(by, p2p::sender_number(comm, source), tag), [&] {
    is_found = is_found || look();
    return is_found;
  });
}

handle take(communicator& comm, int source, int tag, status& found) {
  unexpected_message* const taken = comm.receiver().take(comm.context(), p2p::sender_number(comm, source), tag);
  if (taken == nullptr) return {};
  found = status_of(taken->who, bytes_of(*taken));
  return comm.requests().matched().keep(*taken);
}

}  // namespace

// ---- modes ----

void send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes, int dest,
                  int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return;
  const int to = comm.number_of(dest);
  switch (mode) {
    case send_mode::buffered: comm.requests().buffers().send(by, to, p2p::envelope_of(comm, tag), data, bytes); return;
    case send_mode::synchronous: p2p::send_synchronous(comm, by, data, bytes, to, tag); return;
    default: send(comm, by, data, bytes, dest, tag);
  }
}

handle start_send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes,
                          int dest, int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return finished_send;
  const int to = comm.number_of(dest);
  switch (mode) {
    case send_mode::buffered:
      comm.requests().buffers().send(by, to, p2p::envelope_of(comm, tag), data, bytes);
      return finished_send;
    case send_mode::synchronous:
      return comm.requests().start_synchronous_send(by, to, p2p::envelope_of(comm, tag), data, bytes);
    default: return start_send(comm, by, data, bytes, dest, tag);
  }
}

// ---- laid out ----

void send_in_mode(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest, int tag) {
  if (what.form == nullptr) return send_in_mode(comm, by, mode, what.base, what.bytes, dest, tag);
  if (!p2p::check_send(comm, by, dest, tag)) return;
  if (mode == send_mode::buffered) {
    const auto packed = packed_copy(what);
    send_in_mode(comm, by, mode, packed.get(), what.bytes, dest, tag);
    return;
  }
  send_op op;
  op.data = what.base;
  op.bytes = what.bytes;
  op.form = what.form.get();
  op.who = p2p::envelope_of(comm, tag);
  op.to = comm.number_of(dest);
  op.is_synchronous = mode == send_mode::synchronous;
  if (message_checks* const checks = comm.engine().checks())
    op.number = checks->send_starts(by, nullptr, 0, op.to, tag);
  p2p::start_and_wait(comm, by, op);
}

handle start_send_in_mode(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest,
                          int tag) {
  if (what.form == nullptr) return start_send_in_mode(comm, by, mode, what.base, what.bytes, dest, tag);
  if (!p2p::check_send(comm, by, dest, tag)) return finished_send;
  return comm.requests().stored().start_send(by, mode, comm.number_of(dest), p2p::envelope_of(comm, tag), what);
}

status receive(communicator& comm, const call& by, const placed_message& where, int source, int tag) {
  const receive_sink sink = sink_of(where);
  status outcome;
  receive(comm, by, place_for(where, sink), source, tag, [&outcome](const status& result) { outcome = result; });
  return outcome;
}

handle start_receive(communicator& comm, const call& by, const placed_message& where, int source, int tag) {
  if (where.form == nullptr) {
    return start_receive(comm, by, receive_place{where.base, where.bytes, nullptr}, source, tag);
  }
  if (!p2p::check_receive(comm, by, source, tag)) return finished_receive;
  return comm.requests().stored().start_receive(by, where, comm.context(), p2p::sender_number(comm, source), tag);
}

status send_receive(communicator& comm, const call& by, const placed_message& what, int dest, int send_tag,
                    const placed_message& where, int source, int receive_tag) {
  return complete(comm, by, start_send_receive(comm, by, what, dest, send_tag, where, source, receive_tag));
}

// ---- probes ----

bool probe_now(communicator& comm, const call& by, int source, int tag, status& found) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    found = from_nobody;
    return true;
  }
  const auto look = [&, from = p2p::sender_number(comm, source)] {
    return comm.receiver().probe(comm.context(), from, tag, [&](const status& there) { found = there; });
  };
  if (look()) return true;
  progress_once(comm.owner());
  return look();
}

handle matched_probe(communicator& comm, const call& by, int source, int tag, status& found) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    found = from_nobody;
    return matched_messages::from_nobody;
  }
  handle taken;
  wait_for_message(comm, by, source, tag, [&] {
    taken = take(comm, source, tag, found);
    return !taken.is_null();
  });
  return taken;
}

handle matched_probe_now(communicator& comm, const call& by, int source, int tag, status& found) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    found = from_nobody;
    return matched_messages::from_nobody;
  }
  const handle taken = take(comm, source, tag, found);
  if (!taken.is_null()) return taken;
  progress_once(comm.owner());
  return take(comm, source, tag, found);
}

status receive_message(communicator& comm, const call& by, handle& message, const placed_message& where) {
  const receive_sink sink = sink_of(where);
  return comm.requests().matched().receive(by, message, place_for(where, sink));
}

handle start_receive_message(communicator& comm, const call& by, handle& message, const placed_message& where) {
  const receive_sink sink = sink_of(where);
  return comm.requests().matched().start_receive(by, message, place_for(where, sink));  // complete: it is there
}

// ---- persistent ----

handle make_persistent_send(communicator& comm, const call& by, send_mode mode, const placed_message& what, int dest,
                            int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return comm.requests().stored().make_send_to_nobody(by);
  return comm.requests().stored().make_send(by, mode, comm.number_of(dest), p2p::envelope_of(comm, tag), what);
}

handle make_persistent_receive(communicator& comm, const call& by, const placed_message& where, int source, int tag) {
  if (!p2p::check_receive(comm, by, source, tag)) return comm.requests().stored().make_receive_from_nobody(by);
  return comm.requests().stored().make_receive(by, where, comm.context(), p2p::sender_number(comm, source), tag);
}

// ---- both at once ----

handle start_send_receive(communicator& comm, const call& by, const placed_message& what, int dest, int send_tag,
                          const placed_message& where, int source, int receive_tag) {
  return start_exchange(comm, by, what, dest, send_tag, where, source, receive_tag, nullptr);
}

status send_receive_replace(communicator& comm, const call& by, const placed_message& there, int dest, int send_tag,
                            int source, int receive_tag) {
  return complete(comm, by, start_send_receive_replace(comm, by, there, dest, send_tag, source, receive_tag));
}

handle start_send_receive_replace(communicator& comm, const call& by, const placed_message& there, int dest,
                                  int send_tag, int source, int receive_tag) {
  auto copy = dest == proc_null ? nullptr : packed_copy(there);
  const placed_message what{copy.get(), there.bytes, {}};
  return start_exchange(comm, by, what, dest, send_tag, there, source, receive_tag, std::move(copy));
}

}  // namespace pure::core
