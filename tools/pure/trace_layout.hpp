// Where everything in the picture of a timeline goes. A pure function: the same timeline, window and size always give
// the same rectangles, lines and labels, whatever draws them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pure/trace_model.hpp"
#include "pure/trace_picture.hpp"

namespace pure::tool {

/// The width of a text in pixels.
using text_measure = std::function<double(std::string_view text, double size, bool bold)>;

struct layout_options {
  time_span window;                 ///< not empty
  std::vector<std::uint32_t> rows;  ///< of the timeline, from top to bottom; not empty
  int width = 1600;                 ///< pixels; the height follows from the rows
  bool start_left_out = false;      ///< the window begins where the first rank does something: a note says so
};

/// Throws std::runtime_error if so many rows make no picture.
picture lay_out(const timeline& all, const layout_options& options, const text_measure& measure);

/// The first of some texts, from the longest to the shortest, that fits; empty if none does.
std::string fitting(const std::vector<std::string>& texts, double room, double size, const text_measure& measure);

/// The text, or its beginning and "..." as far as it fits.
std::string shortened(const std::string& text, double room, double size, bool bold, const text_measure& measure);

}  // namespace pure::tool
