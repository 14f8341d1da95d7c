// The legend below a timeline: what the colours and lines mean that the picture has, and what it leaves out.
#pragma once

#include <string>
#include <vector>

#include "pure/trace_layout.hpp"
#include "pure/trace_picture.hpp"

namespace pure::tool {

/// What the picture has.
struct legend_contents {
  bool own_chunks = false;
  bool stolen_chunks = false;
  bool computing = false;
  bool waiting = false;
  bool open_waits = false;
  bool items = false;
  bool tasks = false;
  bool lost = false;
  bool messages = false;
  std::vector<std::string> notes;  ///< a line each
};

/// Appends the legend between two columns of pixels, from `y` on. Returns where it ends.
double add_legend(const legend_contents& contents, double left, double right, double y, const text_measure& measure,
                  picture& all);

}  // namespace pure::tool
