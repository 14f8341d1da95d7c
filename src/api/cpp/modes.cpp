// The library side of the typed interface, the rest of point-to-point (pure/detail/modes.hpp).
#include <fmt/core.h>

#include <string>

#include <pure/detail/modes.hpp>

#include "api/cpp/door.hpp"
#include "api/cpp/shared_layout.hpp"
#include "base/text.hpp"
#include "comm/message_modes.hpp"
#include "runtime/job.hpp"

namespace pure::detail {

using core::call;
using core::communicator;
using core::handle;

failure* pure_cxx_send_in_mode(communicator* on, pure_call_site site, send_mode mode, const void* data,
                               std::size_t bytes, int dest, int tag) {
  return on_communicator(on, send_names[mode], site, [&](communicator& own, const call& by) {
    core::send_in_mode(own, by, mode, data, bytes, dest, tag);
  });
}

failure* pure_cxx_start_send_in_mode(communicator* on, pure_call_site site, send_mode mode, const void* data,
                                     std::size_t bytes, int dest, int tag, request_handle* started) {
  return on_communicator(on, start_send_names[mode], site, [&](communicator& own, const call& by) {
    *started = core::start_send_in_mode(own, by, mode, data, bytes, dest, tag).value;
  });
}

failure* pure_cxx_make_persistent_send(communicator* on, pure_call_site site, send_mode mode,
                                       const placed_message* what, int dest, int tag, request_handle* made) {
  return on_communicator(on, make_send_names[mode], site, [&](communicator& own, const call& by) {
    *made = core::make_persistent_send(own, by, mode, kept(*what), dest, tag).value;
  });
}

failure* pure_cxx_make_persistent_receive(communicator* on, pure_call_site site, const placed_message* where,
                                          int source, int tag, request_handle* made) {
  return on_communicator(on, "recv_init", site, [&](communicator& own, const call& by) {
    *made = core::make_persistent_receive(own, by, kept(*where), source, tag).value;
  });
}

failure* pure_cxx_start_send_receive(communicator* on, pure_call_site site, const placed_message* what, int dest,
                                     int send_tag, const placed_message* where, int source, int receive_tag,
                                     request_handle* started) {
  return on_communicator(on, "isendrecv", site, [&](communicator& own, const call& by) {
    *started = core::start_send_receive(own, by, kept(*what), dest, send_tag, kept(*where), source, receive_tag).value;
  });
}

failure* pure_cxx_send_receive_replace(communicator* on, pure_call_site site, const placed_message* there, int dest,
                                       int send_tag, int source, int receive_tag, status* outcome) {
  return on_communicator(on, "sendrecv_replace", site, [&](communicator& own, const call& by) {
    *outcome = public_status(core::send_receive_replace(own, by, kept(*there), dest, send_tag, source, receive_tag));
  });
}

failure* pure_cxx_start_send_receive_replace(communicator* on, pure_call_site site, const placed_message* there,
                                             int dest, int send_tag, int source, int receive_tag,
                                             request_handle* started) {
  return on_communicator(on, "isendrecv_replace", site, [&](communicator& own, const call& by) {
    *started = core::start_send_receive_replace(own, by, kept(*there), dest, send_tag, source, receive_tag).value;
  });
}

failure* pure_cxx_probe(communicator* on, pure_call_site site, int source, int tag, status* found) {
  return on_communicator(on, "probe", site, [&](communicator& own, const call& by) {
    core::probe(own, by, source, tag, [&](const core::status& there) { *found = public_status(there); });
  });
}

failure* pure_cxx_probe_now(communicator* on, pure_call_site site, int source, int tag, status* found, bool* is_there) {
  return on_communicator(on, "iprobe", site, [&](communicator& own, const call& by) {
    core::status there;
    *is_there = core::probe_now(own, by, source, tag, there);
    if (*is_there) *found = public_status(there);
  });
}

failure* pure_cxx_matched_probe(communicator* on, pure_call_site site, int source, int tag, bool may_block,
                                status* found, request_handle* taken) {
  return on_communicator(on, may_block ? "mprobe" : "improbe", site, [&](communicator& own, const call& by) {
    core::status there;
    const handle message = may_block ? core::matched_probe(own, by, source, tag, there)
                                     : core::matched_probe_now(own, by, source, tag, there);
    *found = public_status(there);
    *taken = message.value;
  });
}

failure* pure_cxx_receive_message(communicator* on, pure_call_site site, request_handle* message,
                                  const receive_place* place, status* outcome) {
  return on_communicator(on, "message::recv", site, [&](communicator& own, const call& by) {
    handle taken{*message};
    const core::status result = own.requests().matched().receive(by, taken, *place);
    *message = taken.value;
    own.requests().throw_if_failed(by, result);
    *outcome = public_status(result);
  });
}

failure* pure_cxx_start_receive_message(communicator* on, pure_call_site site, request_handle* message,
                                        const receive_place* place, request_handle* started) {
  return on_communicator(on, "message::irecv_into", site, [&](communicator& own, const call& by) {
    handle taken{*message};
    const handle made = own.requests().matched().start_receive(by, taken, *place);
    *message = taken.value;
    *started = made.value;
  });
}

failure* pure_cxx_not_this_object(communicator* on, pure_call_site site, const char* operation, const status* outcome,
                                  const char* sent, const char* wanted) {
  return at_boundary([&] {
    const std::string from = fmt::format("rank {}, tag {},", outcome->source(), outcome->tag());
    const std::string asked = fmt::format("rank {} asked for a serialized {}", on->rank(), core::type_name(wanted));
    core::throw_bad_argument(
        *on, {operation, site}, errc::type,
        sent == nullptr ? fmt::format("the message of {} bytes from {} is plain data, but {}; send it as "
                                      "pure::serialized(object), or receive it without",
                                      outcome->bytes(), from, asked)
                        : fmt::format("the message from {} is a serialized {}, but {}; receive the type that was sent",
                                      from, core::type_name(sent), asked));
  });
}

failure* pure_cxx_broken_object(communicator* on, pure_call_site site, const char* operation, const status* outcome,
                                const char* wanted, const char* problem) {
  return at_boundary([&] {
    core::throw_bad_argument(
        *on, {operation, site}, errc::type,
        fmt::format("the serialized {} from rank {}, tag {}, of {} bytes, cannot be read back by rank {}: {}; its load "
                    "function must read what its save function has written",
                    core::type_name(wanted), outcome->source(), outcome->tag(), outcome->bytes(), on->rank(), problem));
  });
}

failure* pure_cxx_attach_send_buffer(communicator* on, pure_call_site site, std::size_t bytes, bool only_this_comm,
                                     core::send_buffer** attached) {
  const char* const operation = only_this_comm ? "own_send_buffer" : "send_buffer";
  return on_communicator(on, operation, site, [&](communicator& own, const call& by) {
    core::send_buffers& all = own.requests().buffers();
    core::send_buffer& buffer = only_this_comm ? all.of_communicator(own.context()) : all.of_rank();
    if (buffer.is_attached()) {
      core::throw_bad_argument(own, by, errc::buffer,
                               only_this_comm ? "this comm has a send buffer already: one at a time"
                                              : "this rank has a send buffer already: one at a time");
    }
    if (bytes == 0) {
      buffer.attach_automatic();
    } else {
      buffer.attach(nullptr, bytes);
    }
    *attached = &buffer;
  });
}

failure* pure_cxx_flush_send_buffer(communicator* on, pure_call_site site, core::send_buffer* which) {
  return on_communicator(on, "send_buffer::flush", site,
                         [&](communicator& own, const call& by) { own.requests().buffers().flush(by, *which); });
}

failure* pure_cxx_start_flush_send_buffer(communicator* on, pure_call_site site, core::send_buffer* which,
                                          request_handle* started) {
  return on_communicator(on, "send_buffer::iflush", site, [&](communicator& own, const call& by) {
    *started = own.requests().adopt(by, core::send_buffers::pending_flush(*which)).value;
  });
}

void pure_cxx_detach_send_buffer(communicator* on, core::send_buffer* which) noexcept {
  if (core::self() != &on->owner()) return;
  try {
    const call by{"~send_buffer", {}};
    if (!on->owner().owner().ending()) on->requests().buffers().flush(by, *which);
  } catch (const core::job_ended&) {  // the rank's next call says so again
  }
  which->detach();
}

}  // namespace pure::detail
