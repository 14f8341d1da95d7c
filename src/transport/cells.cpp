#include "transport/cells.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/row_copy.hpp"

namespace pure::core {

const std::byte* cell_end::cell(number which) const noexcept { return both_.memory_ + which * cell_bytes; }

cell_end& cell_end::other() const noexcept { return both_.ends_[this == both_.ends_ ? 1 : 0]; }

bool cell_end::put(const std::byte* data, std::size_t bytes, number* into) noexcept {
  if (!numbers_.take(cells_for(bytes), into)) return false;
  is_used_ = true;
  for (std::size_t at = 0; at < bytes; at += cell_bytes) {
    copy_row(both_.memory_ + *into++ * cell_bytes, data + at, std::min(cell_bytes, bytes - at));
  }
  return true;
}

void cell_end::has_read(const number* cells, std::size_t bytes) noexcept {
  is_used_ = true;
  std::uint32_t returned = 0;
  for (std::size_t at = 0; at < bytes; at += cell_bytes, ++cells) {
    if (numbers_.keep(*cells)) continue;
    returned |= std::uint32_t{1} << *cells;
    if (!both_.how_.takes_lines) continue;
    std::byte* const lines = both_.memory_ + *cells * cell_bytes;
    for (std::size_t line = 0; line < std::min(cell_bytes, bytes - at); line += line_bytes) lines[line] = std::byte{0};
  }
  if (returned != 0) cell_numbers<>::give_back(other().numbers_, returned);
}

bool cell_end::give_back_unused() noexcept {
  if (is_used_) {
    is_used_ = false;
    has_memory_ = both_.how_.are_own_pages;
    return false;
  }
  if (!has_memory_) return false;
  has_memory_ = false;
  numbers_.accept_returned();
  bool has_given = false;
  for (std::uint32_t i = 0; i < numbers_.count(); ++i) {
    has_given |= madvise(both_.memory_ + numbers_.at(i) * cell_bytes, cell_bytes, MADV_DONTNEED) == 0;
  }
  return has_given;
}

}  // namespace pure::core
