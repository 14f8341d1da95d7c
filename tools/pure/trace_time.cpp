#include "pure/trace_time.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

#include "base/text.hpp"

namespace pure::tool {
namespace {

struct time_unit {
  std::string_view name;
  nanoseconds length;
};

constexpr time_unit units[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};

const time_unit& unit_for(nanoseconds time) {
  const auto* const found = std::find_if(std::begin(units), std::end(units),
                                         [&](const time_unit& unit) { return time >= unit.length; });
  return found == std::end(units) ? units[3] : *found;
}

// With `decimals` of them, but without zeros at the end.
std::string number_text(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

nanoseconds round_step(double shortest) {
  nanoseconds power = 1;
  while (true) {
    for (const nanoseconds factor : {1, 2, 5}) {
      if (static_cast<double>(factor * power) >= shortest) return factor * power;
    }
    power *= 10;
  }
}

// With the decimals that a multiple of `step` has in this unit.
std::string stepped_text(nanoseconds time, nanoseconds step, const time_unit& unit) {
  int decimals = 0;
  for (nanoseconds length = unit.length; length > step; length /= 10) ++decimals;
  return fmt::format("{:.{}f} {}", static_cast<double>(time) / static_cast<double>(unit.length), decimals, unit.name);
}

}  // namespace

std::optional<nanoseconds> parse_time(std::string_view text) {
  text = core::trimmed(text);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  const std::string_view name = core::trimmed({rest, static_cast<std::size_t>(end - rest)});
  if (name.empty() && number == 0) return 0;
  for (const time_unit& unit : units) {
    if (unit.name != name) continue;
    const double time = number * static_cast<double>(unit.length);
    if (time > 3.2e17) return std::nullopt;
    return std::llround(time);
  }
  return std::nullopt;
}

std::string time_text(nanoseconds time) {
  const time_unit& unit = unit_for(time);
  const double number = static_cast<double>(time) / static_cast<double>(unit.length);
  const int decimals = number < 10 ? 3 : number < 100 ? 2 : number < 1000 ? 1 : 0;
  return fmt::format("{} {}", number_text(number, decimals), time == 0 ? "s" : unit.name);
}

std::string time_text(nanoseconds time, nanoseconds step) {
  return stepped_text(time, step, unit_for(std::max(time, step)));
}

axis time_axis(time_span window, int most) {
  const nanoseconds step = round_step(static_cast<double>(window.length()) / std::max(1, most));
  const nanoseconds first = (window.begin + step - 1) / step * step;
  constexpr nanoseconds too_many_steps = 100'000;
  const bool far = first / step >= too_many_steps;
  const nanoseconds from = far ? first : 0;
  axis result;
  result.caption = far ? fmt::format("time after {}", time_text(first, step)) : "time from the start of the job";
  const time_unit& unit = unit_for(std::max(window.end - from, step));  // one for all ticks
  for (nanoseconds at = first; at <= window.end; at += step) {
    result.ticks.push_back({at, (far ? "+" : "") + stepped_text(at - from, step, unit)});
  }
  return result;
}

}  // namespace pure::tool
