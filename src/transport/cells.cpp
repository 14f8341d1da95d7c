#include "transport/cells.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>

#include "base/row_copy.hpp"

namespace pure::core {

cell_end& cell_end::other() const noexcept { return both_.ends_[this == both_.ends_ ? 1 : 0]; }

bool cell_end::put(const std::byte* data, std::size_t bytes, number* into) noexcept {
  if (!numbers_.take(cells_for(bytes), into)) return false;
  is_used_ = true;
  for (std::size_t at = 0; at < bytes; at += cell_bytes) {
    copy_row(both_.memory_ + *into++ * cell_bytes, data + at, std::min(cell_bytes, bytes - at));
  }
  return true;
}

void cell_end::put(const laid_out_source& from, std::size_t at, std::size_t bytes, number* into) noexcept {
  const bool has_cells = numbers_.take(cells_for(bytes), into);
  assert(has_cells);
  static_cast<void>(has_cells);
  is_used_ = true;
  for (std::size_t done = 0; done < bytes; done += cell_bytes) {
    copy_laid_out({both_.memory_ + *into++ * cell_bytes, nullptr}, 0, from, at + done,
                  std::min(cell_bytes, bytes - done));
  }
}

void cell_end::get(const number* cells, std::size_t bytes, const laid_out_target& target, std::size_t at,
                   std::size_t wanted) noexcept {
  const number* from = cells;
  for (std::size_t done = 0; done < wanted; done += cell_bytes) {
    const std::byte* const cell = both_.memory_ + *from++ * cell_bytes;
    const std::size_t part = std::min(cell_bytes, wanted - done);
    if (target.form == nullptr) {
      copy_fetched_row(target.base + at + done, cell, part);
    } else {
      copy_laid_out(target, at + done, {cell, nullptr}, 0, part);
    }
  }
  has_read(cells, bytes);
}

/// The cells of a message of so many bytes have been read.
void cell_end::has_read(const number* cells, std::size_t bytes) noexcept {
  is_used_ = true;
  std::uint32_t returned = 0;
  for (std::size_t at = 0; at < bytes; at += cell_bytes, ++cells) {
    if (numbers_.keep(*cells)) continue;
    returned |= std::uint32_t{1} << *cells;
    if (both_.how_.takes_lines) take_lines(both_.memory_ + *cells * cell_bytes, std::min(cell_bytes, bytes - at));
  }
  if (returned != 0) other().returned_.add(returned);
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
