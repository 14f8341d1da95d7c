#include "machine/memory_pages.hpp"

#include <unistd.h>

#include "machine/room_for_ranks.hpp"

namespace pure::core {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool is_more_than_there_is(std::size_t bytes) noexcept {
  constexpr std::size_t large = std::size_t{64} << 20;
  return bytes >= large && bytes > memory_left();
}

}  // namespace pure::core
