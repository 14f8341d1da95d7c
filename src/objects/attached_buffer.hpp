// The buffers that programs attach for buffered sends, to their rank or to a communicator (MPI 4.1, 3.6): what attach
// and detach check and say. What is kept in them is match/send_buffer.hpp's. Own thread of the rank only.
#pragma once

#include <cstdint>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "match/send_buffer.hpp"

namespace pure::core {

/// Automatic: no memory of the program, and no limit.
struct buffer_memory {
  void* memory = nullptr;
  std::int64_t size = 0;
  bool is_automatic = false;
};

/// Throws buffer (there is one), argument (the size, null).
void attach_buffer(const communicator& on, const call& by, send_buffer& to, const buffer_memory& given);
/// Waits until all that is kept has been sent. Throws buffer (there is none).
buffer_memory detach_buffer(const communicator& on, const call& by, send_buffer& from);

/// The buffer of a communicator, on this rank.
[[nodiscard]] send_buffer& buffer_of(const communicator& on);

}  // namespace pure::core
