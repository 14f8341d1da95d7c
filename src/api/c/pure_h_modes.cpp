// pure.h, the rest of point-to-point: send modes, probes, persistent messages, cancel.
#include <pure.h>

#include <fmt/core.h>

#include "api/c/buffers.hpp"
#include "api/c/door.hpp"
#include "comm/message_modes.hpp"

using pure::errc;
using namespace pure::core;

namespace {

int send_with(const char* name, send_mode mode, const void* buf, std::int64_t count, pure_datatype type, int dest,
              int tag, pure_comm comm, const pure_call_site& site) {
  const call by{name, site, call::sends(code_of(type))};
  return c_door(name, [&] {
    communicator& on = communicator_of(by, comm);
    send_in_mode(on, by, mode, placed_at(on, by, buf, count, type), dest, tag);
  });
}

int start_send_with(const char* name, send_mode mode, const void* buf, std::int64_t count, pure_datatype type, int dest,
                    int tag, pure_comm comm, pure_request* request, const pure_call_site& site) {
  const call by{name, site, call::sends(code_of(type))};
  return c_door(name, [&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    *request = name_of(start_send_in_mode(on, by, mode, placed_at(on, by, buf, count, type), dest, tag));
  });
}

int make_send_with(const char* name, send_mode mode, const void* buf, std::int64_t count, pure_datatype type, int dest,
                   int tag, pure_comm comm, pure_request* request, const pure_call_site& site) {
  const call by{name, site, call::sends(code_of(type))};
  return c_door(name, [&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    *request = name_of(make_persistent_send(on, by, mode, placed_at(on, by, buf, count, type), dest, tag));
  });
}

}  // namespace

// ---- send modes ----

int pure_ssend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                   pure_call_site site) {
  return send_with("pure_ssend_msg", send_mode::synchronous, buf, count, type, dest, tag, comm, site);
}
int pure_bsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                   pure_call_site site) {
  return send_with("pure_bsend_msg", send_mode::buffered, buf, count, type, dest, tag, comm, site);
}
int pure_rsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                   pure_call_site site) {
  return send_with("pure_rsend_msg", send_mode::ready, buf, count, type, dest, tag, comm, site);
}
int pure_issend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return start_send_with("pure_issend_msg", send_mode::synchronous, buf, count, type, dest, tag, comm, request, site);
}
int pure_ibsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return start_send_with("pure_ibsend_msg", send_mode::buffered, buf, count, type, dest, tag, comm, request, site);
}
int pure_irsend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return start_send_with("pure_irsend_msg", send_mode::ready, buf, count, type, dest, tag, comm, request, site);
}

// ---- probes ----

int pure_probe(int source, int tag, pure_comm comm, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    probe(communicator_of(by, comm), by, source, tag,
          [status](const pure::core::status& found) { fill(status, found); });
  });
}

int pure_iprobe(int source, int tag, pure_comm comm, int* flag, pure_status* status, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    require(on, by, flag, "flag");
    pure::core::status found;
    *flag = probe_now(on, by, source, tag, found) ? 1 : 0;
    if (*flag == 1) fill(status, found);
  });
}

int pure_mprobe(int source, int tag, pure_comm comm, pure_message* message, pure_status* status, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    require(on, by, message, "message");
    pure::core::status found;
    *message = static_cast<pure_message>(matched_probe(on, by, source, tag, found).value);
    fill(status, found);
  });
}

int pure_improbe(int source, int tag, pure_comm comm, int* flag, pure_message* message, pure_status* status,
                 pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    require(on, by, flag, "flag");
    require(on, by, message, "message");
    pure::core::status found;
    const handle taken = matched_probe_now(on, by, source, tag, found);
    *flag = taken.is_null() ? 0 : 1;
    *message = static_cast<pure_message>(taken.value);
    if (*flag == 1) fill(status, found);
  });
}

int pure_mrecv_msg(void* buf, std::int64_t count, pure_datatype type, pure_message* message, pure_status* status,
                   pure_call_site site) {
  const call by{"pure_mrecv_msg", site, call::receives(code_of(type))};
  return c_door([&] {
    communicator& world = world_of(by);
    require(world, by, message, "message");
    handle taken{static_cast<std::uint64_t>(*message)};
    const placed_message where = placed_at(world, by, buf, count, type);
    const auto result = receive_message(world, by, taken, where);
    *message = static_cast<pure_message>(taken.value);
    fill(status, result);
    world.requests().throw_if_failed(by, result);
  });
}

int pure_imrecv_msg(void* buf, std::int64_t count, pure_datatype type, pure_message* message, pure_request* request,
                    pure_call_site site) {
  const call by{"pure_imrecv_msg", site, call::receives(code_of(type))};
  return c_door([&] {
    communicator& world = world_of(by);
    require(world, by, message, "message");
    require(world, by, request, "request");
    handle taken{static_cast<std::uint64_t>(*message)};
    *request = name_of(start_receive_message(world, by, taken, placed_at(world, by, buf, count, type)));
    *message = static_cast<pure_message>(taken.value);
  });
}

// ---- persistent messages ----

int pure_send_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                   pure_request* request, pure_call_site site) {
  return make_send_with("pure_send_init", send_mode::standard, buf, count, type, dest, tag, comm, request, site);
}
int pure_ssend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return make_send_with("pure_ssend_init", send_mode::synchronous, buf, count, type, dest, tag, comm, request, site);
}
int pure_bsend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return make_send_with("pure_bsend_init", send_mode::buffered, buf, count, type, dest, tag, comm, request, site);
}
int pure_rsend_init(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                    pure_request* request, pure_call_site site) {
  return make_send_with("pure_rsend_init", send_mode::ready, buf, count, type, dest, tag, comm, request, site);
}

int pure_recv_init(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                   pure_request* request, pure_call_site site) {
  const call by{"pure_recv_init", site, call::receives(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    *request = name_of(make_persistent_receive(on, by, placed_at(on, by, buf, count, type), source, tag));
  });
}

// ---- send-receives ----

int pure_sendrecv_replace_msg(void* buf, std::int64_t count, pure_datatype type, int dest, int send_tag, int source,
                              int recv_tag, pure_comm comm, pure_status* status, pure_call_site site) {
  const call by{"pure_sendrecv_replace_msg", site, call::sends(code_of(type)) | call::receives(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    const placed_message there = placed_at(on, by, buf, count, type);
    fill(status, send_receive_replace(on, by, there, dest, send_tag, source, recv_tag));
  });
}

int pure_isendrecv_msg(const void* send_buf, std::int64_t send_count, pure_datatype send_type, int dest, int send_tag,
                       void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, int source, int recv_tag,
                       pure_comm comm, pure_request* request, pure_call_site site) {
  const call by{"pure_isendrecv_msg", site, call::sends(code_of(send_type)) | call::receives(code_of(recv_type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    const placed_message what = placed_at(on, by, send_buf, send_count, send_type);
    const placed_message where = placed_at(on, by, recv_buf, recv_count, recv_type);
    *request = name_of(start_send_receive(on, by, what, dest, send_tag, where, source, recv_tag));
  });
}

int pure_isendrecv_replace_msg(void* buf, std::int64_t count, pure_datatype type, int dest, int send_tag, int source,
                               int recv_tag, pure_comm comm, pure_request* request, pure_call_site site) {
  const call by{"pure_isendrecv_replace_msg", site, call::sends(code_of(type)) | call::receives(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    const placed_message there = placed_at(on, by, buf, count, type);
    *request = name_of(start_send_receive_replace(on, by, there, dest, send_tag, source, recv_tag));
  });
}

// ---- requests that are not over ----

int pure_cancel(pure_request* request, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, request, "request");
    world.requests().cancel(by, handle_of(*request));
  });
}

int pure_test_cancelled(const pure_status* status, int* flag, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, status, "status");
    require(world, by, flag, "flag");
    *flag = status->cancelled;
  });
}
