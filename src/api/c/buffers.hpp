// A message's buffer, count and type, as pure.h has them.
#pragma once

#include <pure.h>

#include "api/c/door.hpp"
#include "api/c/types.hpp"

namespace pure::core {

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

/// `count` elements of any type at `buf`. Throws type, count, buffer.
[[nodiscard]] placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                                       pure_datatype type);

}  // namespace pure::core
