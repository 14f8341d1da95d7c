// Times as people write them: "1.5ms" on the command line, "1.5 ms" in pictures, and the ticks of a time axis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pure/trace_model.hpp"

namespace pure::tool {

/// A number with a unit: 250us, 1.5 ms, 2s, 40ns; or 0. Not negative, at most ten years.
std::optional<nanoseconds> parse_time(std::string_view text);

/// In the largest unit that leaves a digit before the point, with at most four digits: "1.235 ms", "40 ns".
std::string time_text(nanoseconds time);

/// The same with as many decimals as show `step` exactly: for 1.25 ms and steps of 10 us, "1.25 ms".
std::string time_text(nanoseconds time, nanoseconds step);

struct axis {
  struct tick {
    nanoseconds at;
    std::string text;
  };
  std::vector<tick> ticks;
  std::string caption;  ///< what the ticks are counted from
};

/// Ticks at 1, 2 or 5 times a power of ten, at most `most` of them. Far from the start they are counted from the first
/// tick, for nobody compares numbers of ten digits.
axis time_axis(time_span window, int most);

}  // namespace pure::tool
