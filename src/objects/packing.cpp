#include "objects/packing.hpp"

#include <fmt/core.h>

#include "layout/layout.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

std::size_t place_in_buffer(const call& by, std::int64_t size, std::int64_t position, std::size_t bytes) {
  if (size < 0 || position < 0 || position > size || static_cast<std::size_t>(size - position) < bytes) {
    throw_wrong_call(by, errc::argument,
                     fmt::format("{} bytes from byte {} on are not in a buffer of {}", bytes, position, size));
  }
  return static_cast<std::size_t>(position);
}

void pack(const call& by, const placed_message& from, void* buffer, std::int64_t size, std::int64_t& position) {
  const std::size_t at = place_in_buffer(by, size, position, from.bytes);
  if (from.bytes == 0) return;
  copy_laid_out({static_cast<std::byte*>(buffer) + at, nullptr},
                {static_cast<const std::byte*>(from.base), from.form.get()}, 0, from.bytes);
  position += static_cast<std::int64_t>(from.bytes);
}

void unpack(const call& by, const void* buffer, std::int64_t size, std::int64_t& position, const placed_message& to) {
  const std::size_t at = place_in_buffer(by, size, position, to.bytes);
  if (to.bytes == 0) return;
  copy_laid_out({static_cast<std::byte*>(to.base), to.form.get()},
                {static_cast<const std::byte*>(buffer) + at, nullptr}, 0, to.bytes);
  position += static_cast<std::int64_t>(to.bytes);
}

}  // namespace pure::core
