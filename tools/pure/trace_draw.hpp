// Draws a picture with cairo. Without cairo (libcairo2-dev when Pure is built), both functions throw and say so.
#pragma once

#include <string>
#include <string_view>

#include "pure/trace_picture.hpp"

namespace pure::tool {

/// False if this Pure was built without cairo.
bool can_draw() noexcept;

/// The width of a text as draw_png draws it, in pixels.
double width_of_text(std::string_view text, double size, bool bold);

/// A PNG file.
std::string draw_png(const picture& all);

}  // namespace pure::tool
