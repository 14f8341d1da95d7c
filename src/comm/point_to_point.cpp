#include "comm/point_to_point.hpp"

#include <fmt/format.h>

#include "runtime/wait.hpp"

namespace pure::core {

void throw_bad_argument(const communicator& comm, const call& by, errc code, const std::string& text) {
  std::string whole = fmt::format("{}: rank {} of {}: {}", by.operation, comm.rank(), comm.name(), text);
  if (const std::string site = to_text(by.site); !site.empty()) whole += "\n  at " + site;
  throw Error(code, whole, by.site);
}

namespace {

[[noreturn, gnu::cold]] void throw_bad_rank(const communicator& comm, const call& by, const char* role, int rank) {
  throw_bad_argument(comm, by, errc::rank,
                     fmt::format("{} rank {} is out of range: the communicator has ranks 0 to {}", role, rank,
                                 comm.size() - 1));
}

[[noreturn, gnu::cold]] void throw_bad_tag(const communicator& comm, const call& by, int tag) {
  throw_bad_argument(comm, by, errc::tag, fmt::format("tag {} is out of range: tags are 0 to 2147483647", tag));
}

/// True if there is somebody to send to.
inline bool check_send(const communicator& comm, const call& by, int dest, int tag) {
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(comm.size())) [[unlikely]] {
    if (dest != proc_null) throw_bad_rank(comm, by, "destination", dest);
  }
  if (tag < 0) [[unlikely]] throw_bad_tag(comm, by, tag);
  return dest != proc_null;
}

inline bool check_receive(const communicator& comm, const call& by, int source, int tag) {
  if (static_cast<unsigned>(source) >= static_cast<unsigned>(comm.size())) [[unlikely]] {
    if (source != any_source && source != proc_null) throw_bad_rank(comm, by, "source", source);
  }
  if (tag < 0 && tag != any_tag) [[unlikely]] throw_bad_tag(comm, by, tag);
  return source != proc_null;
}

constexpr status from_nobody{.source = proc_null, .tag = any_tag};

inline int sender_number(const communicator& comm, int source) noexcept {
  return source == any_source ? any_source : comm.number_of(source);
}

inline envelope envelope_of(const communicator& comm, int tag) noexcept { return {comm.context(), comm.rank(), tag}; }

/// The slow way of a blocking send: the ring is full, or the message is large or moved.
[[gnu::noinline]] void send_and_wait(communicator& comm, const call& by, send_op& op) {
  match_engine& engine = comm.engine();
  engine.start(op);
  const char* const what = op.now == send_op::stage::queued ? "room for its message" : "the receive of its message";
  wait_until(comm.owner(), {by, what, op.to, op.who.tag}, [&] { return engine.test(op); });
}

[[gnu::noinline]] void send_large(communicator& comm, const call& by, const void* data, std::size_t bytes, int to,
                                  int tag) {
  send_op op;
  op.data = data;
  op.bytes = bytes;
  op.who = envelope_of(comm, tag);
  op.to = to;
  send_and_wait(comm, by, op);
}

}  // namespace

void send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag) {
  if (!check_send(comm, by, dest, tag)) return;
  const int to = comm.number_of(dest);
  if (!comm.engine().try_send_now(to, envelope_of(comm, tag), data, bytes)) [[unlikely]] {
    send_large(comm, by, data, bytes, to, tag);
  }
}

void send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag) {
  if (!check_send(comm, by, dest, tag)) return;
  send_op op;
  op.is_moved = true;
  op.object = std::move(object);
  op.who = envelope_of(comm, tag);
  op.to = comm.number_of(dest);
  send_and_wait(comm, by, op);
}

status receive(communicator& comm, const call& by, const receive_place& place, int source, int tag) {
  if (!check_receive(comm, by, source, tag)) return from_nobody;
  match_engine& engine = comm.engine();
  receive_op op;
  op.buffer = place.buffer;
  op.capacity = place.capacity;
  op.sink = place.sink;
  op.context = comm.context();
  op.tag = tag;
  op.from = sender_number(comm, source);
  engine.start(op);
  if (!op.done) {
    const int peer = op.from == any_source ? wait_reason::anybody : op.from;
    wait_until(comm.owner(), {by, "a message", peer, tag}, [&] { return engine.test(op); });
  }
  if (op.result.error != errc::success) [[unlikely]] throw_receive_error(by, comm.rank(), op.result);
  return op.result;
}

status send_receive(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int send_tag,
                    const receive_place& place, int source, int receive_tag) {
  check_receive(comm, by, source, receive_tag);  // before anything has started
  check_send(comm, by, dest, send_tag);
  handle both[2] = {start_receive(comm, by, place, source, receive_tag)};
  both[1] = start_send(comm, by, data, bytes, dest, send_tag);
  comm.requests().wait_all(by, both);
  comm.requests().finish(both[1]);
  const status result = comm.requests().finish(both[0]);
  comm.requests().throw_if_failed(by, result);
  return result;
}

handle start_send(communicator& comm, const call& by, const void* data, std::size_t bytes, int dest, int tag) {
  if (!check_send(comm, by, dest, tag)) return requests::finished_send;
  return comm.requests().start_send(by, comm.number_of(dest), envelope_of(comm, tag), data, bytes);
}

handle start_send_moved(communicator& comm, const call& by, moved_value object, int dest, int tag) {
  if (!check_send(comm, by, dest, tag)) return requests::finished_send;
  return comm.requests().start_send_moved(by, comm.number_of(dest), envelope_of(comm, tag), std::move(object));
}

handle start_receive(communicator& comm, const call& by, const receive_place& place, int source, int tag) {
  if (!check_receive(comm, by, source, tag)) return requests::finished_receive;
  return comm.requests().start_receive(by, place, comm.context(), sender_number(comm, source), tag);
}

}  // namespace pure::core
