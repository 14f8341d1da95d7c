// A place in a message that is laid out: where its next bytes are, in what regular row.
#pragma once

#include <algorithm>
#include <cstddef>

#include "layout/layout.hpp"

namespace pure::core {

template <class Byte>
class layout_cursor {
 public:
  /// At byte `first` of the message.
  layout_cursor(const laid_out<Byte>& message, std::size_t first) : base_(message.base), form_(message.form) {
    if (form_ == nullptr || form_->bytes() == 0) {  // in a row, without an end
      form_ = nullptr;
      row_ = {.bytes = ~std::size_t{0}, .count = 1};
      in_block_ = first;
      return;
    }
    base_ += form_->extent() * static_cast<std::ptrdiff_t>(first / form_->bytes());
    first %= form_->bytes();
    for (std::size_t i = 0; i < form_->loops().size(); ++i) {
      const layout::loop& each = form_->loops()[i];
      at_[i] = first / each.packed_bytes;
      base_ += each.stride * static_cast<std::ptrdiff_t>(at_[i]);
      first %= each.packed_bytes;
    }
    const auto rows = form_->rows();
    const auto after = std::upper_bound(rows.begin(), rows.end(), first,
                                        [](std::size_t place, const block_row& row) { return place < row.packed_at; });
    row_number_ = static_cast<std::size_t>(after - rows.begin()) - 1;
    row_ = rows[row_number_];
    first -= row_.packed_at;
    block_ = first / row_.bytes;
    in_block_ = first % row_.bytes;
  }

  [[nodiscard]] Byte* at() const noexcept { return base_ + row_.offset_of(block_) + in_block_; }
  /// Contiguous bytes from here.
  [[nodiscard]] std::size_t left_in_block() const noexcept { return row_.bytes - in_block_; }

  /// The number of blocks of `bytes` bytes from here, each `stride()` after the one before: those of the row, if they
  /// have that size, or else pieces of the contiguous bytes from here; 0 if these are fewer.
  [[nodiscard]] std::size_t blocks_of(std::size_t bytes) const noexcept {
    return is_at_block(bytes) ? row_.count - block_ : left_in_block() / bytes;
  }
  [[nodiscard]] std::ptrdiff_t stride_of(std::size_t bytes) const noexcept {
    return is_at_block(bytes) ? row_.stride : static_cast<std::ptrdiff_t>(bytes);
  }

  /// Passes `count` blocks, as many as blocks_of(bytes) or fewer.
  void pass_blocks(std::size_t count, std::size_t bytes) noexcept {
    if (!is_at_block(bytes)) return pass(count * bytes);
    block_ += count;
    if (block_ == row_.count) next_row();
  }
  /// Passes bytes, as many as left_in_block() or fewer.
  void pass(std::size_t bytes) noexcept {
    in_block_ += bytes;
    if (in_block_ < row_.bytes) return;
    in_block_ = 0;
    if (++block_ == row_.count) next_row();
  }

 private:
  [[nodiscard]] bool is_at_block(std::size_t bytes) const noexcept { return in_block_ == 0 && row_.bytes == bytes; }

  void next_row() noexcept {
    block_ = 0;
    const auto rows = form_->rows();
    if (++row_number_ == rows.size()) {
      row_number_ = 0;
      next_turn();
    }
    row_ = rows[row_number_];
  }
  void next_turn() noexcept {
    const auto loops = form_->loops();
    for (std::size_t i = loops.size(); i-- > 0;) {
      base_ += loops[i].stride;
      if (++at_[i] < loops[i].count) return;
      base_ -= loops[i].stride * static_cast<std::ptrdiff_t>(loops[i].count);
      at_[i] = 0;
    }
    base_ += form_->extent();
  }

  Byte* base_;  // of the copy in which the cursor is, and of its turns in the loops
  const layout* form_;
  block_row row_;
  std::size_t row_number_ = 0;
  std::size_t block_ = 0;     // of the row
  std::size_t in_block_ = 0;  // bytes
  std::size_t at_[layout::max_loops] = {};
};

}  // namespace pure::core
