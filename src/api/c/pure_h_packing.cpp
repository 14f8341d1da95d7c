// pure.h, packing and addresses (pure/packing.h): forwards to objects/packing.hpp.
#include <pure.h>

#include <fmt/core.h>

#include "api/c/buffers.hpp"
#include "api/c/door.hpp"
#include "objects/packing.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// A number for a variable of the program. Throws argument.
template <class Number>
void give_number(const communicator& world, const call& by, std::int64_t value, Number* to) {
  const auto fitting = static_cast<Number>(value);
  if (fitting != value) throw_bad_argument(world, by, errc::argument, fmt::format("{} is no int", value));
  *to = fitting;
}

template <class Number>
int pack_at(const void* buf, std::int64_t count, pure_datatype type, void* pack_buf, std::int64_t size,
            Number* position, pure_comm comm, const pure_call_site& site) {
  const call by{"pure_pack", site};
  return c_door("pure_pack", [&] {
    const communicator& on = communicator_of(by, comm);
    require(on, by, position, "position");
    const placed_message from = placed_at(on, by, buf, count, type);
    if (from.bytes > 0) require_buffer(on, by, pack_buf, 1);
    std::int64_t at = *position;
    pack(by, from, pack_buf, size, at);
    give_number(on, by, at, position);
  });
}

template <class Number>
int unpack_at(const void* pack_buf, std::int64_t size, Number* position, void* buf, std::int64_t count,
              pure_datatype type, pure_comm comm, const pure_call_site& site) {
  const call by{"pure_unpack", site};
  return c_door("pure_unpack", [&] {
    const communicator& on = communicator_of(by, comm);
    require(on, by, position, "position");
    const placed_message to = placed_at(on, by, buf, count, type);
    if (to.bytes > 0) require_buffer(on, by, pack_buf, 1);
    std::int64_t at = *position;
    unpack(by, pack_buf, size, at, to);
    give_number(on, by, at, position);
  });
}

template <class Number>
int give_pack_size(std::int64_t count, pure_datatype type, pure_comm comm, Number* size, const pure_call_site& site) {
  const call by{"pure_pack_size", site};
  return c_door("pure_pack_size", [&] {
    const communicator& on = communicator_of(by, comm);
    require(on, by, size, "size");
    const std::size_t bytes = bytes_of(on, by, count, datatype_of(on, by, type).form->bytes());
    give_number(on, by, static_cast<std::int64_t>(bytes), size);
  });
}

}  // namespace

int pure_pack(const void* buf, std::int64_t count, pure_datatype type, void* pack_buf, std::int64_t size,
              std::int64_t* position, pure_comm comm, pure_call_site site) {
  return pack_at(buf, count, type, pack_buf, size, position, comm, site);
}
int pure_pack(const void* buf, std::int64_t count, pure_datatype type, void* pack_buf, std::int64_t size, int* position,
              pure_comm comm, pure_call_site site) {
  return pack_at(buf, count, type, pack_buf, size, position, comm, site);
}

int pure_unpack(const void* pack_buf, std::int64_t size, std::int64_t* position, void* buf, std::int64_t count,
                pure_datatype type, pure_comm comm, pure_call_site site) {
  return unpack_at(pack_buf, size, position, buf, count, type, comm, site);
}
int pure_unpack(const void* pack_buf, std::int64_t size, int* position, void* buf, std::int64_t count,
                pure_datatype type, pure_comm comm, pure_call_site site) {
  return unpack_at(pack_buf, size, position, buf, count, type, comm, site);
}

int pure_pack_size(std::int64_t count, pure_datatype type, pure_comm comm, std::int64_t* size, pure_call_site site) {
  return give_pack_size(count, type, comm, size, site);
}
int pure_pack_size(std::int64_t count, pure_datatype type, pure_comm comm, int* size, pure_call_site site) {
  return give_pack_size(count, type, comm, size, site);
}

int pure_get_address(const void* location, std::int64_t* address, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, address, "address");
    *address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(location));
  });
}
