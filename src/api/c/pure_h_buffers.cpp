// pure.h, the buffers of buffered sends: the rank's, and those of communicators (MPI 4.1, 3.6).
#include <pure.h>

#include "api/c/door.hpp"
#include "objects/attached_buffer.hpp"

using namespace pure::core;

namespace {

buffer_memory given(void* buffer, std::int64_t size) noexcept {
  return {buffer, size, buffer == PURE_BUFFER_AUTOMATIC};
}

void detach(const communicator& on, const call& by, send_buffer& which, void** buffer, std::int64_t* size) {
  require(on, by, buffer, "buffer");
  require(on, by, size, "size");
  const buffer_memory was = detach_buffer(on, by, which);
  *buffer = was.is_automatic ? PURE_BUFFER_AUTOMATIC : was.memory;
  *size = was.size;
}

}  // namespace

int pure_buffer_attach(void* buffer, std::int64_t size, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    attach_buffer(world, by, world.requests().buffers().of_rank(), given(buffer, size));
  });
}

int pure_buffer_detach(void** buffer, std::int64_t* size, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    detach(world, by, world.requests().buffers().of_rank(), buffer, size);
  });
}

int pure_buffer_flush(pure_call_site site) {
  return c_call(site, [&](const call& by) {
    send_buffers& all = world_of(by).requests().buffers();
    all.flush(by, all.of_rank());
  });
}

int pure_buffer_iflush(pure_request* request, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, request, "request");
    *request = name_of(world.requests().adopt(by, send_buffers::pending_flush(world.requests().buffers().of_rank())));
  });
}

int pure_comm_attach_buffer(pure_comm comm, void* buffer, std::int64_t size, pure_call_site site) {
  return c_call(site, comm, [&](const communicator& on, const call& by) {
    attach_buffer(on, by, buffer_of(on), given(buffer, size));
  });
}

int pure_comm_detach_buffer(pure_comm comm, void** buffer, std::int64_t* size, pure_call_site site) {
  return c_call(site, comm,
                [&](const communicator& on, const call& by) { detach(on, by, buffer_of(on), buffer, size); });
}

int pure_comm_flush_buffer(pure_comm comm, pure_call_site site) {
  return c_call(site, comm,
                [&](const communicator& on, const call& by) { on.requests().buffers().flush(by, buffer_of(on)); });
}

int pure_comm_iflush_buffer(pure_comm comm, pure_request* request, pure_call_site site) {
  return c_call(site, comm, [&](const communicator& on, const call& by) {
    require(on, by, request, "request");
    *request = name_of(on.requests().adopt(by, send_buffers::pending_flush(buffer_of(on))));
  });
}
