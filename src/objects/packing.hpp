// Data packed into memory of the program, as every door packs it (MPI 5.0, 5.2). Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/call.hpp"
#include "match/stored_message.hpp"

namespace pure::core {

/// The place in a buffer of `size` bytes where `bytes` bytes begin. Throws argument: they are not in it.
std::size_t place_in_buffer(const call& by, std::int64_t size, std::int64_t position, std::size_t bytes);

/// Copies to a buffer that is not null, from byte `position` on, and moves `position` behind it. Throws argument.
void pack(const call& by, const placed_message& from, void* buffer, std::int64_t size, std::int64_t& position);
/// And back.
void unpack(const call& by, const void* buffer, std::int64_t size, std::int64_t& position, const placed_message& to);

}  // namespace pure::core
