// pure.h, messages: translates handles and types, checks buffers and counts, forwards to the comm layer.
#include <pure.h>

#include <fmt/core.h>

#include "api/c/buffers.hpp"
#include "api/c/door.hpp"
#include "base/clock.hpp"
#include "comm/message_modes.hpp"

using pure::errc;
using namespace pure::core;

int pure_send_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                  pure_call_site site) {
  const call by{"pure_send_msg", site, call::sends(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    if (may_be_derived(type)) [[unlikely]]
      return send_in_mode(on, by, send_mode::standard, placed_at(on, by, buf, count, type), dest, tag);
    send(on, by, buf, bytes_at(on, by, buf, count, type), dest, tag);
  });
}

int pure_recv_msg(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                  pure_status* status, pure_call_site site) {
  const call by{"pure_recv_msg", site, call::receives(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    if (may_be_derived(type)) [[unlikely]]
      return fill(status, receive(on, by, placed_at(on, by, buf, count, type), source, tag));
    receive(on, by, place_of(on, by, buf, count, type), source, tag,
            [status](const pure::core::status& result) { fill(status, result); });
  });
}

int pure_sendrecv_msg(const void* send_buf, std::int64_t send_count, pure_datatype send_type, int dest, int send_tag,
                      void* recv_buf, std::int64_t recv_count, pure_datatype recv_type, int source, int recv_tag,
                      pure_comm comm, pure_status* status, pure_call_site site) {
  const call by{"pure_sendrecv_msg", site, call::sends(code_of(send_type)) | call::receives(code_of(recv_type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    if (may_be_derived(send_type) || may_be_derived(recv_type)) [[unlikely]] {
      const placed_message what = placed_at(on, by, send_buf, send_count, send_type);
      const placed_message where = placed_at(on, by, recv_buf, recv_count, recv_type);
      return fill(status, send_receive(on, by, what, dest, send_tag, where, source, recv_tag));
    }
    const std::size_t bytes = bytes_at(on, by, send_buf, send_count, send_type);
    const auto place = place_of(on, by, recv_buf, recv_count, recv_type);
    fill(status, send_receive(on, by, send_buf, bytes, dest, send_tag, place, source, recv_tag));
  });
}

int pure_isend_msg(const void* buf, std::int64_t count, pure_datatype type, int dest, int tag, pure_comm comm,
                   pure_request* request, pure_call_site site) {
  const call by{"pure_isend_msg", site, call::sends(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    if (may_be_derived(type)) [[unlikely]] {
      const placed_message what = placed_at(on, by, buf, count, type);
      *request = name_of(start_send_in_mode(on, by, send_mode::standard, what, dest, tag));
      return;
    }
    *request = name_of(start_send(on, by, buf, bytes_at(on, by, buf, count, type), dest, tag));
  });
}

int pure_irecv_msg(void* buf, std::int64_t count, pure_datatype type, int source, int tag, pure_comm comm,
                   pure_request* request, pure_call_site site) {
  const call by{"pure_irecv_msg", site, call::receives(code_of(type))};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    if (may_be_derived(type)) [[unlikely]] {
      *request = name_of(start_receive(on, by, placed_at(on, by, buf, count, type), source, tag));
      return;
    }
    *request = name_of(start_receive(on, by, place_of(on, by, buf, count, type), source, tag));
  });
}

int pure_rank(pure_call_site site) { return world_of({"pure_rank", site}).rank(); }

int pure_size(pure_call_site site) { return world_of({"pure_size", site}).size(); }

int pure_comm_rank(pure_comm comm, int* rank, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    require(on, by, rank, "rank");
    *rank = on.rank();
  });
}

int pure_comm_size(pure_comm comm, int* size, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    require(on, by, size, "size");
    *size = on.size();
  });
}

double pure_wtime() { return static_cast<double>(now_ns()) * 1e-9; }

double pure_wtick() { return 1e-9; }
