#include "comm/message_modes.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "match/message_content.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

constexpr status from_nobody{.source = proc_null, .tag = any_tag};

/// A request for what `set_up` says, started unless it is persistent.
template <class SetUp>
handle make_operation(communicator& comm, const call& by, bool is_persistent, SetUp set_up) {
  auto made = std::make_unique<message_operation>(comm.requests(), comm.engine(), is_persistent);
  set_up(*made);
  made->set_types(by.site.types);
  if (!is_persistent) made->start(by);
  return comm.requests().adopt(by, std::move(made));
}

std::unique_ptr<std::byte[]> copy_of(const void* data, std::size_t bytes) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(copy.get(), data, bytes);
  return copy;
}

void set_both(message_operation& both, communicator& comm, const void* data, std::size_t bytes, int dest, int send_tag,
              const receive_place& place, int source, int receive_tag) {
  if (source != proc_null) both.set_receive(place, comm.context(), p2p::sender_number(comm, source), receive_tag);
  if (dest != proc_null) {
    both.set_send(send_mode::standard, comm.number_of(dest), p2p::envelope_of(comm, send_tag), data, bytes);
  }
}

status status_of(const match_engine::found_message& found) noexcept {
  return {.source = found.who.source, .tag = found.who.tag, .bytes = found.bytes, .sent_bytes = found.bytes};
}

/// Calls look() until it finds something.
template <class Look>
void wait_for_message(communicator& comm, const call& by, int source, int tag, Look look) {
  const int peer = source == any_source ? wait_reason::anybody : comm.number_of(source);
  bool is_found = false;  // a wait asks again after it was told, a message must not be taken twice
  wait_until(comm.owner(), {by, "a message from", peer, tag}, [&] {
    is_found = is_found || look();
    return is_found;
  });
}

handle take(communicator& comm, int source, int tag, status& found) {
  early_message* const taken = comm.engine().take(comm.context(), p2p::sender_number(comm, source), tag);
  if (taken == nullptr) return {};
  found = status_of({taken->who, bytes_of(*taken), taken->from});
  return comm.requests().keep_message(*taken);
}

}  // namespace

// ---- modes ----

void send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes, int dest,
                  int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return;
  const int to = comm.number_of(dest);
  switch (mode) {
    case send_mode::buffered: comm.requests().send_buffered(by, to, p2p::envelope_of(comm, tag), data, bytes); return;
    case send_mode::synchronous: p2p::send_synchronous(comm, by, data, bytes, to, tag); return;
    default: send(comm, by, data, bytes, dest, tag);
  }
}

handle start_send_in_mode(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes,
                          int dest, int tag) {
  if (!p2p::check_send(comm, by, dest, tag)) return requests::finished_send;
  const int to = comm.number_of(dest);
  switch (mode) {
    case send_mode::buffered:
      comm.requests().send_buffered(by, to, p2p::envelope_of(comm, tag), data, bytes);
      return requests::finished_send;
    case send_mode::synchronous:
      return comm.requests().start_synchronous_send(by, to, p2p::envelope_of(comm, tag), data, bytes);
    default: return start_send(comm, by, data, bytes, dest, tag);
  }
}

// ---- probes ----

status probe(communicator& comm, const call& by, int source, int tag) {
  if (!p2p::check_receive(comm, by, source, tag)) return from_nobody;
  match_engine::found_message found;
  const int from = p2p::sender_number(comm, source);
  wait_for_message(comm, by, source, tag, [&] { return comm.engine().probe(comm.context(), from, tag, found); });
  return status_of(found);
}

bool probe_now(communicator& comm, const call& by, int source, int tag, status& found) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    found = from_nobody;
    return true;
  }
  match_engine::found_message there;
  const int from = p2p::sender_number(comm, source);
  if (!comm.engine().probe(comm.context(), from, tag, there)) {
    progress_once(comm.owner());
    if (!comm.engine().probe(comm.context(), from, tag, there)) return false;
  }
  found = status_of(there);
  return true;
}

handle matched_probe(communicator& comm, const call& by, int source, int tag, status& found) {
  if (!p2p::check_receive(comm, by, source, tag)) {
    found = from_nobody;
    return requests::message_from_nobody;
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
    return requests::message_from_nobody;
  }
  const handle taken = take(comm, source, tag, found);
  if (!taken.is_null()) return taken;
  progress_once(comm.owner());
  return take(comm, source, tag, found);
}

// ---- persistent ----

handle make_persistent_send(communicator& comm, const call& by, send_mode mode, const void* data, std::size_t bytes,
                            int dest, int tag) {
  const bool has_receiver = p2p::check_send(comm, by, dest, tag);
  return make_operation(comm, by, true, [&](message_operation& made) {
    if (has_receiver) made.set_send(mode, comm.number_of(dest), p2p::envelope_of(comm, tag), data, bytes);
  });
}

handle make_persistent_receive(communicator& comm, const call& by, const receive_place& place, int source, int tag) {
  const bool has_sender = p2p::check_receive(comm, by, source, tag);
  return make_operation(comm, by, true, [&](message_operation& made) {
    if (has_sender) {
      made.set_receive(place, comm.context(), p2p::sender_number(comm, source), tag);
    } else {
      made.set_receive_from_nobody();
    }
  });
}

// ---- both at once ----

handle start_send_receive(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest,
                          int send_tag, const receive_place& place, int source, int receive_tag) {
  p2p::check_receive(comm, by, source, receive_tag);
  p2p::check_send(comm, by, dest, send_tag);
  return make_operation(comm, by, false, [&](message_operation& both) {
    if (source == proc_null) both.set_receive_from_nobody();
    set_both(both, comm, data, bytes, dest, send_tag, place, source, receive_tag);
  });
}

status send_receive_replace(communicator& comm, const call& by, void* data, std::size_t bytes, int dest, int send_tag,
                            int source, int receive_tag) {
  p2p::check_receive(comm, by, source, receive_tag);
  p2p::check_send(comm, by, dest, send_tag);
  const auto copy = copy_of(data, dest == proc_null ? 0 : bytes);
  return send_receive(comm, by, copy.get(), bytes, dest, send_tag, {data, bytes, nullptr}, source, receive_tag);
}

handle start_send_receive_replace(communicator& comm, const call& by, void* data, std::size_t bytes, int dest,
                                  int send_tag, int source, int receive_tag) {
  p2p::check_receive(comm, by, source, receive_tag);
  p2p::check_send(comm, by, dest, send_tag);
  return make_operation(comm, by, false, [&](message_operation& both) {
    auto copy = copy_of(data, dest == proc_null ? 0 : bytes);
    if (source == proc_null) both.set_receive_from_nobody();
    set_both(both, comm, copy.get(), bytes, dest, send_tag, {data, bytes, nullptr}, source, receive_tag);
    both.keep(std::move(copy));
  });
}

}  // namespace pure::core
