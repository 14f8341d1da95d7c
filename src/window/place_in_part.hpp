// Bytes of one rank's part of a window, counted from where the part begins: so they mean the same in every process,
// whether it maps the memory or not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "layout/layout.hpp"

namespace pure::core {

/// Bytes of a message from `first` of a rank's part on, where `form` says; in a row where it is null.
struct place_in_part {
  int rank = 0;
  std::ptrdiff_t first = 0;  // of dynamic windows: the address
  std::size_t bytes = 0;
  const layout* form = nullptr;
};

/// Some of a place: rows of blocks of its part.
struct rows_in_part {
  std::vector<block_row> rows;
  std::size_t bytes = 0;
};

/// From byte `done` of the message on: at most so many bytes and rows, or all there is.
rows_in_part rows_of(const place_in_part& where, std::size_t done = 0, std::size_t most_bytes = ~std::size_t{0},
                     std::size_t most_rows = ~std::size_t{0});

/// Each block of the rows: use(offset in the part, bytes).
template <class Use>
void visit_blocks(std::span<const block_row> rows, Use use) {
  for (const block_row& row : rows) {
    for (std::size_t block = 0; block < row.count; ++block) use(row.offset_of(block), row.bytes);
  }
}

}  // namespace pure::core
