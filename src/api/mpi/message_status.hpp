// What bodies say of a message. It lies where the program's status does, as long as its MPI_Status has the fields of
// the standard ABI; the entries of another ABI convert it. Null: the program wants none.
#pragma once

#include <cstdint>
#include <cstring>

#include "match/status.hpp"

namespace pure::core::mpi {

/// May be read and written where an MPI_Status lies.
struct [[gnu::may_alias]] message_status {
  int source;
  int tag;
  int error;  // a class
  int cancelled;
  int bytes[2];  // of one number, which would be aligned otherwise
  int reserved[2];
};

/// Not the error: only calls that complete several requests set it (MPI 5.0, 3.2.5).
inline void fill(message_status* to, const status& from) noexcept {
  if (to == nullptr) return;
  to->source = from.source;
  to->tag = from.tag;
  to->cancelled = from.cancelled ? 1 : 0;
  const auto bytes = static_cast<std::int64_t>(from.bytes);
  std::memcpy(to->bytes, &bytes, sizeof bytes);
}
/// The empty status, of no request (MPI 5.0, 3.7.3).
inline void fill_empty(message_status* to) noexcept {
  fill(to, {});
  if (to != nullptr) to->error = 0;
}
inline std::int64_t bytes_in(const message_status& status) noexcept {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, status.bytes, sizeof bytes);
  return bytes;
}
inline void set_bytes(message_status& status, std::int64_t bytes) noexcept {
  std::memcpy(status.bytes, &bytes, sizeof bytes);
}

}  // namespace pure::core::mpi
