#include "window/segment_plan.hpp"

#include <algorithm>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/round_up.hpp"
#include "window/target_control.hpp"
#include "window/window_memory.hpp"

namespace pure::core {

namespace {

/// No memory is that large, and no sum of as many as there are ranks is out of range below it.
constexpr std::size_t too_many_bytes = std::size_t{1} << 48;

}  // namespace

segment_plan::segment_plan(std::span<const std::size_t> bytes_of_parts, std::size_t alignment, bool is_contiguous)
    : parts_(bytes_of_parts.size()), alignment_(std::max(alignment, line_bytes)) {
  const std::size_t page = page_bytes();
  const auto is_small = [&](std::size_t bytes) { return !is_contiguous && bytes < page && alignment_ <= page; };
  if (std::any_of(bytes_of_parts.begin(), bytes_of_parts.end(), [](std::size_t each) { return each > too_many_bytes; }))
    return;
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].control = end;
    end += target_control::bytes_for(bytes_of_parts[i]);
    if (is_small(bytes_of_parts[i])) {
      parts_[i].data = round_up(end, alignment_);
      end = parts_[i].data + bytes_of_parts[i];
    }
    end = round_up(end, pair_bytes);
  }
  end = prologue_bytes_ = round_up(end, page);
  if (is_contiguous) end = round_up(end, std::max(page, alignment_));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t bytes = bytes_of_parts[i];
    if (is_small(bytes)) continue;
    parts_[i].data = is_contiguous ? end : round_up(end, std::max(page, alignment_));
    end = parts_[i].data + bytes;
    // A page that two parts share is made present by the one where it begins.
    parts_[i].first_page = round_up(parts_[i].data, page);
    parts_[i].bytes_of_pages = std::max(round_up(end, page), parts_[i].first_page) - parts_[i].first_page;
    if (end > too_many_bytes) return;
  }
  bytes_ = std::max(round_up(end, page), page);
}

}  // namespace pure::core
