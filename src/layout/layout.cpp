#include "layout/layout.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/cache_line.hpp"

namespace pure::core {

namespace {

/// What sizes and offsets may be, so that the difference of two offsets, and one more stride, cannot overflow.
constexpr std::size_t largest = std::size_t{1} << 60;

[[noreturn]] void throw_too_large() { throw std::length_error("the layout has more bytes than any object may have"); }

std::size_t checked(std::size_t bytes) {
  if (bytes > largest) throw_too_large();
  return bytes;
}
std::ptrdiff_t checked(std::ptrdiff_t offset) {
  constexpr auto farthest = static_cast<std::ptrdiff_t>(largest);
  if (offset > farthest || offset < -farthest) throw_too_large();
  return offset;
}

/// Of numbers that may be anything, as the result's type.
template <class Result, class Other>
Result product(Result a, Other b) {
  Result result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw_too_large();
  return checked(result);
}
template <class Result, class Other>
Result sum(Result a, Other b) {
  Result result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw_too_large();
  return checked(result);
}

}  // namespace

layout::layout(std::size_t bytes, std::size_t alignment) : bytes_(checked(bytes)) {
  if (bytes == 0) return;
  rows_.push_back({.bytes = bytes, .stride = static_cast<std::ptrdiff_t>(bytes), .count = 1});
  alignment_ = alignment;
  true_upper_ = static_cast<std::ptrdiff_t>(bytes);
  find_bounds();
}

/// From the blocks, unless there are markers. The epsilon of MPI 4.1, 5.1.6: the distance of copies is rounded up, so
/// that each of them is aligned if the first one is.
void layout::find_bounds() {
  if (has_markers_) return;
  const std::ptrdiff_t width = true_upper_ - true_lower_;
  const std::ptrdiff_t beyond = width % static_cast<std::ptrdiff_t>(alignment_);
  lower_ = true_lower_;
  upper_ = beyond == 0 ? true_upper_ : sum(true_upper_, static_cast<std::ptrdiff_t>(alignment_) - beyond);
}

/// For a block count the lines that it may need, but no more than there are up to the next block of its row; and no
/// more in all than from the first byte to the last, or to the next copy.
void layout::find_spread() noexcept {
  if (bytes_ == 0) return;
  double in_rows = 0, covered = 0;  // of one turn of the loops
  for (const block_row& row : rows_) {
    auto each = static_cast<double>(row.bytes + line_bytes - 1);
    if (row.count > 1) each = std::min(each, std::abs(static_cast<double>(row.stride)));
    in_rows += static_cast<double>(row.packed_bytes());
    covered += each * static_cast<double>(row.count);
  }
  const auto width = static_cast<double>(std::max(true_upper_ - true_lower_, std::abs(extent())));
  spread_ = std::max(1.0, std::min(covered / in_rows, width / static_cast<double>(bytes_)));
}

bool layout::is_contiguous() const noexcept {
  return bytes_ == 0 || (loops_.empty() && rows_.size() == 1 && rows_[0].count == 1 && rows_[0].offset == 0);
}

/// Repeats a layout of one row by making the row longer, where the copies continue it.
bool layout::widen_only_row(std::size_t count, std::ptrdiff_t stride) noexcept {
  if (!loops_.empty() || rows_.size() != 1) return false;
  block_row& only = rows_[0];
  if (only.count == 1 && stride == static_cast<std::ptrdiff_t>(only.bytes)) {
    only.bytes *= count;
    only.stride = static_cast<std::ptrdiff_t>(only.bytes);
  } else if (only.count == 1) {
    only.count = count;
    only.stride = stride;
  } else if (stride == only.stride * static_cast<std::ptrdiff_t>(only.count)) {
    only.count *= count;
  } else {
    return false;
  }
  return true;
}

layout layout::repeated(std::size_t count, std::ptrdiff_t stride) const {
  if (count == 0 || bytes_ == 0) return {};
  const std::size_t bytes = product(bytes_, count);
  product(stride, count);
  const std::ptrdiff_t to_last = stride * static_cast<std::ptrdiff_t>(count - 1);
  const auto spread = [to_last](std::ptrdiff_t& lower, std::ptrdiff_t& upper) {
    lower = sum(lower, std::min<std::ptrdiff_t>(to_last, 0));
    upper = sum(upper, std::max<std::ptrdiff_t>(to_last, 0));
  };
  layout made = loops_.size() == max_loops ? without_loops() : *this;
  if (has_markers_) spread(made.lower_, made.upper_);
  made.bytes_ = bytes;
  spread(made.true_lower_, made.true_upper_);
  made.find_bounds();
  if (count > 1 && !made.widen_only_row(count, stride)) {
    if (!made.loops_.empty() && stride == made.loops_[0].stride * static_cast<std::ptrdiff_t>(made.loops_[0].count)) {
      made.loops_[0].count *= count;
    } else {
      made.loops_.insert(made.loops_.begin(), {count, stride, bytes_});
    }
  }
  made.find_spread();
  return made;
}

/// Adds a row, which continues the last one if it can.
void layout::append(block_row row) {
  row.packed_at = rows_.empty() ? 0 : rows_.back().packed_at + rows_.back().packed_bytes();
  if (!rows_.empty()) {
    block_row& last = rows_.back();
    if (last.count == 1 && row.count == 1 && row.offset == last.offset + static_cast<std::ptrdiff_t>(last.bytes)) {
      last.bytes += row.bytes;
      last.stride = static_cast<std::ptrdiff_t>(last.bytes);
      return;
    }
    const bool alike = row.bytes == last.bytes && (row.count == 1 || last.count == 1 || row.stride == last.stride);
    const std::ptrdiff_t stride = last.count > 1 ? last.stride : row.count > 1 ? row.stride : row.offset - last.offset;
    if (alike && row.offset == last.offset + stride * static_cast<std::ptrdiff_t>(last.count)) {
      last.stride = stride;
      last.count += row.count;
      return;
    }
  }
  rows_.push_back(row);
}

/// Adds the rows of a layout, its loops written out.
void layout::append_moved(const layout& from, std::ptrdiff_t by) {
  std::size_t at[max_loops] = {};
  while (true) {
    std::ptrdiff_t offset = by;
    for (std::size_t i = 0; i < from.loops_.size(); ++i) {
      offset += from.loops_[i].stride * static_cast<std::ptrdiff_t>(at[i]);
    }
    for (block_row row : from.rows_) {
      row.offset += offset;
      append(row);
    }
    std::size_t inner = from.loops_.size();
    while (inner > 0 && ++at[inner - 1] == from.loops_[inner - 1].count) at[--inner] = 0;
    if (inner == 0) return;
  }
}

layout layout::without_loops() const {
  layout made = *this;
  made.loops_.clear();
  made.rows_.clear();
  made.append_moved(*this, 0);
  return made;
}

layout layout::joined(std::span<const part> parts) {
  layout made;
  const auto cover = [](std::ptrdiff_t& lower, std::ptrdiff_t& upper, std::ptrdiff_t from, std::ptrdiff_t to,
                        bool is_first) {
    lower = is_first ? from : std::min(lower, from);
    upper = is_first ? to : std::max(upper, to);
  };
  for (const part& each : parts) {
    const layout& what = *each.what;
    if (what.bytes_ == 0) continue;
    const auto moved = [&each](std::ptrdiff_t bound) { return sum(bound, each.offset); };
    if (what.has_markers_) {
      cover(made.lower_, made.upper_, moved(what.lower_), moved(what.upper_), !made.has_markers_);
      made.has_markers_ = true;
    }
    cover(made.true_lower_, made.true_upper_, moved(what.true_lower_), moved(what.true_upper_), made.bytes_ == 0);
    made.bytes_ = sum(made.bytes_, what.bytes_);
    made.alignment_ = std::max(made.alignment_, what.alignment_);
    if (parts.size() == 1) {  // its loops stay
      made.loops_ = what.loops_;
      made.rows_ = what.rows_;
      for (block_row& row : made.rows_) row.offset += each.offset;
    } else {
      made.append_moved(what, each.offset);
    }
  }
  made.find_bounds();
  made.find_spread();
  return made;
}

layout layout::resized(std::ptrdiff_t lower_bound, std::ptrdiff_t extent) const {
  layout made = *this;
  made.has_markers_ = true;
  made.lower_ = checked(lower_bound);
  made.upper_ = sum(lower_bound, checked(extent));
  made.find_spread();
  return made;
}

}  // namespace pure::core
