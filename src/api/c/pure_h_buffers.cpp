// pure.h, the buffers of buffered sends: the rank's, and those of communicators (MPI 4.1, 3.6).
#include <pure.h>

#include <fmt/core.h>

#include "api/c/door.hpp"

using pure::errc;
using namespace pure::core;

namespace {

void attach(const communicator& on, const call& by, send_buffer& which, void* buffer, std::int64_t size) {
  if (which.is_attached()) {
    throw_bad_argument(on, by, errc::buffer, "a buffer is attached already: detach it first");
  }
  if (buffer == PURE_BUFFER_AUTOMATIC) {
    which.attach_automatic();
    return;
  }
  if (size < 0) throw_bad_argument(on, by, errc::argument, fmt::format("the size {} is negative", size));
  if (size > 0) require(on, by, buffer, "buffer");
  which.attach(buffer, static_cast<std::size_t>(size));
}

void detach(const communicator& on, const call& by, send_buffer& which, void** buffer, std::int64_t* size) {
  require(on, by, buffer, "buffer");
  require(on, by, size, "size");
  if (!which.is_attached()) throw_bad_argument(on, by, errc::buffer, "no buffer is attached");
  on.requests().buffers().flush(by, which);
  *buffer = which.is_automatic() ? PURE_BUFFER_AUTOMATIC : which.memory();
  *size = which.is_automatic() ? 0 : static_cast<std::int64_t>(which.size());
  which.detach();
}

send_buffer& buffer_of(const communicator& on) { return on.requests().buffers().of_communicator(on.context()); }

}  // namespace

int pure_buffer_attach(void* buffer, std::int64_t size, pure_call_site site) {
  const call by{"pure_buffer_attach", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    attach(world, by, world.requests().buffers().of_rank(), buffer, size);
  });
}

int pure_buffer_detach(void** buffer, std::int64_t* size, pure_call_site site) {
  const call by{"pure_buffer_detach", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    detach(world, by, world.requests().buffers().of_rank(), buffer, size);
  });
}

int pure_buffer_flush(pure_call_site site) {
  const call by{"pure_buffer_flush", site};
  return c_door([&] {
    send_buffers& all = world_of(by).requests().buffers();
    all.flush(by, all.of_rank());
  });
}

int pure_buffer_iflush(pure_request* request, pure_call_site site) {
  const call by{"pure_buffer_iflush", site};
  return c_door([&] {
    const communicator& world = world_of(by);
    require(world, by, request, "request");
    *request = name_of(world.requests().start_flush(by, world.requests().buffers().of_rank()));
  });
}

int pure_comm_attach_buffer(pure_comm comm, void* buffer, std::int64_t size, pure_call_site site) {
  const call by{"pure_comm_attach_buffer", site};
  return c_door([&] {
    const communicator& on = communicator_of(by, comm);
    attach(on, by, buffer_of(on), buffer, size);
  });
}

int pure_comm_detach_buffer(pure_comm comm, void** buffer, std::int64_t* size, pure_call_site site) {
  const call by{"pure_comm_detach_buffer", site};
  return c_door([&] {
    const communicator& on = communicator_of(by, comm);
    detach(on, by, buffer_of(on), buffer, size);
  });
}

int pure_comm_flush_buffer(pure_comm comm, pure_call_site site) {
  const call by{"pure_comm_flush_buffer", site};
  return c_door([&] {
    const communicator& on = communicator_of(by, comm);
    on.requests().buffers().flush(by, buffer_of(on));
  });
}

int pure_comm_iflush_buffer(pure_comm comm, pure_request* request, pure_call_site site) {
  const call by{"pure_comm_iflush_buffer", site};
  return c_door([&] {
    const communicator& on = communicator_of(by, comm);
    require(on, by, request, "request");
    *request = name_of(on.requests().start_flush(by, buffer_of(on)));
  });
}
