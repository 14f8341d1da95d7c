// What pure.h checks of a message's buffer, count and type.
#pragma once

#include <pure.h>

#include <fmt/core.h>

#include "api/c/door.hpp"

namespace pure::core {

inline void require_buffer(const communicator& comm, const call& by, const void* buf, std::int64_t count) {
  if (buf == nullptr && count > 0) [[unlikely]] {
    throw_bad_argument(comm, by, errc::buffer, fmt::format("the buffer is null, but the count is {}", count));
  }
}

inline std::size_t bytes_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                            pure_datatype type) {
  const std::size_t bytes = bytes_of(comm, by, count, element_bytes_of(comm, by, type));
  require_buffer(comm, by, buf, count);
  return bytes;
}

inline receive_place place_of(const communicator& comm, const call& by, void* buf, std::int64_t count,
                              pure_datatype type) {
  return {buf, bytes_at(comm, by, buf, count, type), nullptr};
}

}  // namespace pure::core
