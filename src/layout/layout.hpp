// Layouts: what bytes a message is, where they do not lie in a row (MPI 4.1, 5.1).
//
// A layout is a sequence of blocks of bytes, relative to a base address, in the order in which they travel. It is kept
// as rows (blocks of one length at one distance) inside a nest of loops (the whole again at a distance), so that a
// column of a matrix takes one row, and a face of a cube one row in one loop, however many blocks there are. Immutable
// once made; any thread may read it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace pure::core {

/// `count` blocks of `bytes` bytes: the first at `offset`, each `stride` bytes after the one before.
struct block_row {
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
  std::ptrdiff_t stride = 0;
  std::size_t count = 0;
  std::size_t packed_at = 0;  // bytes of the rows before it

  [[nodiscard]] std::size_t packed_bytes() const noexcept { return bytes * count; }
  [[nodiscard]] std::ptrdiff_t offset_of(std::size_t block) const noexcept {
    return offset + stride * static_cast<std::ptrdiff_t>(block);
  }
};

class layout {
 public:
  /// All that is inside, `count` times.
  struct loop {
    std::size_t count;
    std::ptrdiff_t stride;
    std::size_t packed_bytes;  // of one time
  };
  static constexpr std::size_t max_loops = 6;

  struct part;

  /// No bytes at all. What is made of copies of nothing has no bounds either, and as a part of others it has no effect
  /// on theirs (MPI 4.1, 5.1.2), resized or not.
  layout() = default;
  /// One block at the base, which in memory begins at multiples of `alignment`. Throws std::length_error, as the
  /// others, if it is larger than any object may be.
  explicit layout(std::size_t bytes, std::size_t alignment = 1);

  /// `count` copies of this one, each `stride` bytes after the one before.
  [[nodiscard]] layout repeated(std::size_t count, std::ptrdiff_t stride) const;
  /// One after the other, in that order.
  [[nodiscard]] static layout joined(std::span<const part> parts);
  /// The same bytes, but copies of it follow one another at another distance, which may be negative (MPI 4.1, 5.1.7).
  [[nodiscard]] layout resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent) const;

  /// How many bytes travel.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Copies of it, as in a buffer of several, follow one another at this distance. Where no part of it was resized, it
  /// is rounded up to the alignment, as the size of a struct is.
  [[nodiscard]] std::ptrdiff_t extent() const noexcept { return upper_ - lower_; }
  [[nodiscard]] std::ptrdiff_t lower_bound() const noexcept { return lower_; }
  /// Every byte of it lies in [true_lower, true_upper).
  [[nodiscard]] std::ptrdiff_t true_lower_bound() const noexcept { return true_lower_; }
  [[nodiscard]] std::ptrdiff_t true_upper_bound() const noexcept { return true_upper_; }
  /// In how many times more cache lines its bytes are, about, than they would fill in a row.
  [[nodiscard]] double spread() const noexcept { return spread_; }
  /// One block at the base, or nothing.
  [[nodiscard]] bool is_contiguous() const noexcept;

  [[nodiscard]] std::span<const loop> loops() const noexcept { return loops_; }  // the outermost first
  [[nodiscard]] std::span<const block_row> rows() const noexcept { return rows_; }

 private:
  void append(block_row row);
  void append_moved(const layout& from, std::ptrdiff_t by);
  [[nodiscard]] layout without_loops() const;
  bool widen_only_row(std::size_t count, std::ptrdiff_t stride) noexcept;
  void find_bounds();
  void find_spread() noexcept;

  std::vector<loop> loops_;
  std::vector<block_row> rows_;
  std::size_t bytes_ = 0;
  std::size_t alignment_ = 1;                       // the largest of its blocks
  std::ptrdiff_t true_lower_ = 0, true_upper_ = 0;  // of the blocks
  // resized() has set bounds, of the whole or of parts: no others count then (MPI 4.1, 5.1.6: lb_marker, ub_marker).
  bool has_markers_ = false;
  std::ptrdiff_t lower_ = 0, upper_ = 0;  // of the markers; without any, find_bounds()
  double spread_ = 1;
};

struct layout::part {
  std::ptrdiff_t offset;
  const layout* what;
};

using layout_pointer = std::shared_ptr<const layout>;

/// Bytes in memory: `form` from `base` on, again and again at its extent; in a row where `form` is null.
template <class Byte>
struct laid_out {
  Byte* base;
  const layout* form;
};
using laid_out_source = laid_out<const std::byte>;
using laid_out_target = laid_out<std::byte>;

/// Copies the bytes [first, first + bytes) of the message at `from` to the same places of the message at `to`, once,
/// without a copy in between. The two must not overlap.
void copy_laid_out(const laid_out_target& to, const laid_out_source& from, std::size_t first, std::size_t bytes);

/// The same where the two ends are at different bytes of their messages.
void copy_laid_out(const laid_out_target& to, std::size_t to_first, const laid_out_source& from, std::size_t from_first,
                   std::size_t bytes);

}  // namespace pure::core
