// The payload of a record: where it is, and how it is copied, inline in the calls of both interfaces.
#pragma once

#include <cstddef>

#include "base/row_copy.hpp"
#include "base/small_copy.hpp"
#include "transport/record.hpp"

namespace pure::core {

/// Not record::payload: the bytes go on in the lines that follow.
inline std::byte* payload_of(record& arrived) noexcept {
  return reinterpret_cast<std::byte*>(&arrived) + record::header_bytes;
}

inline void copy_payload(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= record::first_line_payload) {
    copy_at_most_40(to, from, bytes);
  } else {
    copy_row(to, from, bytes);
  }
}

}  // namespace pure::core
