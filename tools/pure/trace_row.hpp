// One row of a timeline as what its thread does at each moment, and as rectangles.
//
// Slices overlap (a stolen chunk lies in a wait, the wait in main); a moment belongs to the innermost. What is wide
// enough to be seen becomes a rectangle of its own. What is not is counted in columns of two pixels, each a stack whose
// heights are the shares of its time: so a run of seconds shows how much every rank computes, steals and waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pure/trace_model.hpp"
#include "pure/trace_picture.hpp"

namespace pure::tool {

enum class activity : std::uint8_t {
  nothing,
  computing,
  waiting,
  open_wait,  // one that had no end when the job failed
  own_chunk,
  stolen_chunk,
  items  // of an aggregation's buffer are handled
};

/// What is drawn with an outline: it may lie in a wait.
[[nodiscard]] constexpr bool is_work(activity doing) noexcept { return doing >= activity::own_chunk; }
[[nodiscard]] constexpr bool is_chunk(activity doing) noexcept {
  return doing == activity::own_chunk || doing == activity::stolen_chunk;
}
[[nodiscard]] constexpr bool is_wait(activity doing) noexcept {
  return doing == activity::waiting || doing == activity::open_wait;
}

struct moment : time_span {
  activity doing = activity::nothing;
  std::uint32_t index = 0;  ///< of the wait, the chunk or the items in the row
  bool in_wait = false;     ///< work that lies in a wait

  friend bool operator==(const moment&, const moment&) = default;
};

/// What the thread does in the window, without gaps where a slice is: one after the other, cut at the window's ends.
std::vector<moment> moments_of(const timeline_row& row, std::uint32_t row_index, time_span window);

/// From times to pixels.
struct time_scale {
  time_span window;
  double left = 0;
  double width = 0;

  [[nodiscard]] double x(nanoseconds time) const noexcept {
    return left + static_cast<double>(time - window.begin) / static_cast<double>(window.length()) * width;
  }
};

constexpr double narrowest_slice = 3;  ///< pixels; what is narrower goes into columns
constexpr double column_width = 2;

/// The colour of what is done; `rank` is the row's, `owner` the chunk's.
colour colour_of(activity doing, std::uint32_t rank, std::uint32_t owner);

/// Where a moment is drawn: the whole height, a stolen chunk a little less, so that the wait shows around it.
box box_of(const moment& at, const time_scale& scale, const box& bar);

/// Appends the rectangles of a row whose bar is `bar`. Returns true if some were too narrow, and became columns.
bool add_bar(const timeline_row& row, std::uint32_t row_index, const std::vector<moment>& moments,
             const time_scale& scale, const box& bar, std::vector<rectangle>& rectangles);

/// The colour of a time of which others had the cpu for that share, more than 0.
colour colour_of_lost(double share);

/// Appends a strip below a row's bar: the darker, the more of the time others had the cpu. True if there is any.
bool add_lost_strip(const timeline_row& row, const time_scale& scale, const box& strip,
                    std::vector<rectangle>& rectangles);

}  // namespace pure::tool
