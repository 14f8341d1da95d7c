// From layout to layout: regular rows are copied by loops for blocks of 1, 2, 4, 8 and 16 bytes, the rest row by row.
#include <algorithm>
#include <type_traits>

#include "base/row_copy.hpp"
#include "layout/layout_cursor.hpp"

namespace pure::core {

namespace {

struct row_of_blocks {
  std::byte* to;
  std::ptrdiff_t to_stride;
  const std::byte* from;
  std::ptrdiff_t from_stride;
  std::size_t count;
};

template <std::size_t Bytes>
using known = std::integral_constant<std::size_t, Bytes>;

/// `bytes`: of a block; a known<> one makes a copy a move or two.
template <class Size>
void copy_blocks_of(const row_of_blocks& row, Size bytes) noexcept {
  std::byte* to = row.to;
  const std::byte* from = row.from;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < row.count; ++i) {
    copy_row(to, from, bytes);  // of known<> bytes a plain memcpy
    to += row.to_stride;
    from += row.from_stride;
  }
}

void copy_blocks(const row_of_blocks& row, std::size_t bytes) noexcept {
  switch (bytes) {
    case 1: return copy_blocks_of(row, known<1>());
    case 2: return copy_blocks_of(row, known<2>());
    case 4: return copy_blocks_of(row, known<4>());
    case 8: return copy_blocks_of(row, known<8>());
    case 16: return copy_blocks_of(row, known<16>());
    default: return copy_blocks_of(row, bytes);
  }
}

}  // namespace

void copy_laid_out(const laid_out_target& to, std::size_t to_first, const laid_out_source& from, std::size_t from_first,
                   std::size_t bytes) {
  if (bytes == 0) return;
  if (to.form == nullptr && from.form == nullptr) {
    copy_row(to.base + to_first, from.base + from_first, bytes);
    return;
  }
  layout_cursor<std::byte> target(to, to_first);
  layout_cursor<const std::byte> source(from, from_first);
  while (bytes > 0) {
    const std::size_t block = std::min(target.left_in_block(), source.left_in_block());
    const std::size_t blocks = std::min({target.blocks_of(block), source.blocks_of(block), bytes / block});
    if (blocks > 1) {
      copy_blocks({target.at(), target.stride_of(block), source.at(), source.stride_of(block), blocks}, block);
      target.pass_blocks(blocks, block);
      source.pass_blocks(blocks, block);
      bytes -= blocks * block;
    } else {
      const std::size_t some = std::min(block, bytes);
      copy_row(target.at(), source.at(), some);
      target.pass(some);
      source.pass(some);
      bytes -= some;
    }
  }
}

void copy_laid_out(const laid_out_target& to, const laid_out_source& from, std::size_t first, std::size_t bytes) {
  copy_laid_out(to, first, from, first, bytes);
}

}  // namespace pure::core
