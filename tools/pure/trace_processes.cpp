#include "pure/trace_processes.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

namespace pure::tool {
namespace {

constexpr double bracket_width = 14;  // with its distance from the name, and from what is right of it
constexpr double foot = 4;

std::string name_of(std::uint32_t process) { return fmt::format("process {}", process); }

}  // namespace

double width_of_processes(const timeline& all, const std::vector<std::uint32_t>& rows, double text_size,
                          const text_measure& measure) {
  const auto process = [&](std::uint32_t row) { return all.rows[row].process; };
  const bool several = std::any_of(all.rows.begin(), all.rows.end(),
                                   [&](const timeline_row& row) { return row.process != all.rows.front().process; });
  if (!several) return 0;
  double names = 0;
  for (const std::uint32_t row : rows) names = std::max(names, measure(name_of(process(row)), text_size, false));
  return names + bracket_width;
}

void add_processes(const timeline& all, const std::vector<std::uint32_t>& rows, const std::vector<box>& bars,
                   const process_column& where, const text_measure& measure, picture& to) {
  const double room = where.width - bracket_width;
  const double x = where.left + room + 5;
  for (std::size_t first = 0; first < rows.size();) {
    const std::uint32_t process = all.rows[rows[first]].process;
    std::size_t last = first;
    while (last + 1 < rows.size() && all.rows[rows[last + 1]].process == process) ++last;
    const double top = bars[first].y;
    const double bottom = bars[last].bottom();
    to.lines.push_back({x, top, x, bottom, 1, faint_ink});
    to.lines.push_back({x, top, x + foot, top, 1, faint_ink});
    to.lines.push_back({x, bottom, x + foot, bottom, 1, faint_ink});
    to.labels.push_back({where.left + room, (top + bottom) / 2,
                         shortened(name_of(process), room, where.text_size, false, measure), where.text_size,
                         align::right, faint_ink, false});
    first = last + 1;
  }
}

}  // namespace pure::tool
