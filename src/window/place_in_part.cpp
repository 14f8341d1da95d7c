#include "window/place_in_part.hpp"

#include <algorithm>
#include <cstdint>

#include "layout/layout_cursor.hpp"

namespace pure::core {

rows_in_part rows_of(const place_in_part& where, std::size_t done, std::size_t most_bytes, std::size_t most_rows) {
  rows_in_part made;
  if (where.form == nullptr) {
    made.bytes = std::min(where.bytes - done, most_bytes);
    made.rows.push_back({where.first + static_cast<std::ptrdiff_t>(done), made.bytes, 0, 1, 0});
    return made;
  }
  // The cursor goes over addresses; these stand for places of the part.
  auto* const anchor = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 62);
  layout_cursor<const std::byte> there({anchor, where.form}, done);
  while (done + made.bytes < where.bytes && made.bytes < most_bytes && made.rows.size() < most_rows) {
    const std::size_t left = std::min(where.bytes - done, most_bytes) - made.bytes;
    const std::size_t block = std::min(there.left_in_block(), left);
    const std::size_t count = std::min(there.blocks_of(block), left / block);
    const std::ptrdiff_t offset = where.first + (there.at() - anchor);
    made.rows.push_back({offset, block, there.stride_of(block), count, 0});
    there.pass_blocks(count, block);
    made.bytes += block * count;
  }
  return made;
}

}  // namespace pure::core
