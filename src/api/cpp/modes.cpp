// The library side of the typed interface, the rest of point-to-point.
#include <fmt/core.h>

#include <optional>
#include <string>

#include <pure/detail/library.hpp>

#include "api/cpp/door.hpp"
#include "base/text.hpp"
#include "comm/message_modes.hpp"
#include "runtime/job.hpp"

namespace pure::detail {

using core::call;
using core::communicator;
using core::handle;

void send_in_mode(communicator& on, pure_call_site site, send_mode mode, const void* data, std::size_t bytes, int dest,
                  int tag) {
  const call by{send_names[mode], site};
  check_owner(on, by);
  core::send_in_mode(on, by, mode, data, bytes, dest, tag);
}

request_handle start_send_in_mode(communicator& on, pure_call_site site, send_mode mode, const void* data,
                                  std::size_t bytes, int dest, int tag) {
  const call by{start_send_names[mode], site};
  check_owner(on, by);
  return core::start_send_in_mode(on, by, mode, data, bytes, dest, tag).value;
}

request_handle make_persistent_send(communicator& on, pure_call_site site, send_mode mode, const placed_message& what,
                                    int dest, int tag) {
  const call by{make_send_names[mode], site};
  check_owner(on, by);
  return core::make_persistent_send(on, by, mode, what, dest, tag).value;
}

request_handle make_persistent_receive(communicator& on, pure_call_site site, const placed_message& where, int source,
                                       int tag) {
  const call by{"recv_init", site};
  check_owner(on, by);
  return core::make_persistent_receive(on, by, where, source, tag).value;
}

request_handle start_send_receive(communicator& on, pure_call_site site, const placed_message& what, int dest,
                                  int send_tag, const placed_message& where, int source, int receive_tag) {
  const call by{"isendrecv", site};
  check_owner(on, by);
  return core::start_send_receive(on, by, what, dest, send_tag, where, source, receive_tag).value;
}

status send_receive_replace(communicator& on, pure_call_site site, const placed_message& there, int dest, int send_tag,
                            int source, int receive_tag) {
  const call by{"sendrecv_replace", site};
  check_owner(on, by);
  return public_status(core::send_receive_replace(on, by, there, dest, send_tag, source, receive_tag));
}

request_handle start_send_receive_replace(communicator& on, pure_call_site site, const placed_message& there, int dest,
                                          int send_tag, int source, int receive_tag) {
  const call by{"isendrecv_replace", site};
  check_owner(on, by);
  return core::start_send_receive_replace(on, by, there, dest, send_tag, source, receive_tag).value;
}

status probe(communicator& on, pure_call_site site, int source, int tag) {
  const call by{"probe", site};
  check_owner(on, by);
  status outcome;
  core::probe(on, by, source, tag, [&](const core::status& found) { outcome = public_status(found); });
  return outcome;
}

bool probe_now(communicator& on, pure_call_site site, int source, int tag, status& found) {
  const call by{"iprobe", site};
  check_owner(on, by);
  core::status there;
  if (!core::probe_now(on, by, source, tag, there)) return false;
  found = public_status(there);
  return true;
}

request_handle matched_probe(communicator& on, pure_call_site site, int source, int tag, bool may_block,
                             status& found) {
  const call by{may_block ? "mprobe" : "improbe", site};
  check_owner(on, by);
  core::status there;
  const handle taken = may_block ? core::matched_probe(on, by, source, tag, there)
                                 : core::matched_probe_now(on, by, source, tag, there);
  found = public_status(there);
  return taken.value;
}

status receive_message(communicator& on, pure_call_site site, request_handle& message, const receive_place& place) {
  const call by{"message::recv", site};
  check_owner(on, by);
  handle taken{message};
  const core::status result = on.requests().matched().receive(by, taken, place);
  message = taken.value;
  on.requests().throw_if_failed(by, result);
  return public_status(result);
}

request_handle start_receive_message(communicator& on, pure_call_site site, request_handle& message,
                                     const receive_place& place) {
  const call by{"message::irecv_into", site};
  check_owner(on, by);
  handle taken{message};
  const handle started = on.requests().matched().start_receive(by, taken, place);
  message = taken.value;
  return started.value;
}

void cancel(communicator& on, pure_call_site site, request_handle request) {
  const call by{"cancel", site};
  check_owner(on, by);
  on.requests().cancel(by, {request});
}

std::optional<status> look_at(communicator& on, pure_call_site site, request_handle request) {
  const call by{"status", site};
  check_owner(on, by);
  on.requests().check(by, {request});
  if (!on.requests().test({request})) return std::nullopt;
  return public_status(on.requests().outcome_of({request}));
}

void throw_not_this_object(communicator& on, pure_call_site site, const char* operation, const status& outcome,
                           const char* sent, const std::type_info& wanted) {
  const std::string from = fmt::format("rank {}, tag {},", outcome.source(), outcome.tag());
  const std::string asked = fmt::format("rank {} asked for a serialized {}", on.rank(), core::type_name(wanted.name()));
  core::throw_bad_argument(
      on, {operation, site}, errc::type,
      sent == nullptr ? fmt::format("the message of {} bytes from {} is plain data, but {}; send it as "
                                    "pure::serialized(object), or receive it without",
                                    outcome.bytes(), from, asked)
                      : fmt::format("the message from {} is a serialized {}, but {}; receive the type that was sent",
                                    from, core::type_name(sent), asked));
}

void throw_broken_object(communicator& on, pure_call_site site, const char* operation, const status& outcome,
                         const std::type_info& wanted, const char* problem) {
  core::throw_bad_argument(
      on, {operation, site}, errc::type,
      fmt::format("the serialized {} from rank {}, tag {}, of {} bytes, cannot be read back by rank {}: {}; its load "
                  "function must read what its save function has written",
                  core::type_name(wanted.name()), outcome.source(), outcome.tag(), outcome.bytes(), on.rank(),
                  problem));
}

core::send_buffer& attach_send_buffer(communicator& on, pure_call_site site, std::size_t bytes, bool only_this_comm) {
  const call by{only_this_comm ? "own_send_buffer" : "send_buffer", site};
  check_owner(on, by);
  core::send_buffers& all = on.requests().buffers();
  core::send_buffer& buffer = only_this_comm ? all.of_communicator(on.context()) : all.of_rank();
  if (buffer.is_attached()) {
    core::throw_bad_argument(on, by, errc::buffer,
                             only_this_comm ? "this comm has a send buffer already: one at a time"
                                            : "this rank has a send buffer already: one at a time");
  }
  if (bytes == 0) {
    buffer.attach_automatic();
  } else {
    buffer.attach(nullptr, bytes);
  }
  return buffer;
}

void flush_send_buffer(communicator& on, pure_call_site site, core::send_buffer& which) {
  const call by{"send_buffer::flush", site};
  check_owner(on, by);
  on.requests().buffers().flush(by, which);
}

request_handle start_flush_send_buffer(communicator& on, pure_call_site site, core::send_buffer& which) {
  const call by{"send_buffer::iflush", site};
  check_owner(on, by);
  return on.requests().adopt(by, core::send_buffers::pending_flush(which)).value;
}

void detach_send_buffer(communicator& on, core::send_buffer& which) noexcept {
  if (core::self() != &on.owner()) return;
  try {
    const call by{"~send_buffer", {}};
    if (!on.owner().owner().ending()) on.requests().buffers().flush(by, which);
  } catch (const core::job_ended&) {  // the rank's next call says so again
  }
  which.detach();
}

}  // namespace pure::detail
