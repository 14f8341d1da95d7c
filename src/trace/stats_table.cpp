#include "trace/stats_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace pure::core {

namespace {

constexpr std::size_t widest_table = 80;

/// Some of the columns, each row with its name before it; rows that have none of them are left out.
std::string text_of_columns(const std::vector<std::string>& names, const std::vector<row>& rows,
                            const std::vector<std::size_t>& widths, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = fmt::format("  {:<{}}", names[i], widths.back());
    bool is_any = false;
    for (std::size_t j = first; j < std::min(end, rows[i].size()); ++j) {
      line += fmt::format("  {:>{}}", rows[i][j], widths[j]);
      is_any = true;
    }
    if (is_any) text += line + '\n';
  }
  return text;
}

}  // namespace

named_rows::named_rows(row headings) : names{""}, rows{std::move(headings)} {}

void named_rows::add(std::string name, row cells) {
  names.push_back(std::move(name));
  rows.push_back(std::move(cells));
}

std::string text_of_rows(const named_rows& table, std::span<const std::size_t> together) {
  const std::vector<std::string>& names = table.names;
  const std::vector<row>& rows = table.rows;
  std::vector<std::size_t> widths(rows.front().size() + 1);  // the last one: of the names
  for (const std::string& name : names) widths.back() = std::max(widths.back(), name.size());
  for (const row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  const std::size_t of_name = 2 + widths.back();
  std::string text;
  std::size_t first = 0, end = 0, used = of_name;
  const auto take = [&](std::size_t count) {
    std::size_t needed = 0;
    for (std::size_t i = end; i < end + count; ++i) needed += 2 + widths[i];
    if (used + needed > widest_table && end > first) {
      text += text_of_columns(names, rows, widths, first, end) + '\n';
      first = end;
      used = of_name;
    }
    used += needed;
    end += count;
    return used <= widest_table;
  };
  for (const std::size_t count : together) {
    if (take(count)) continue;
    end -= count;  // too long by itself, too
    used = of_name;
    for (std::size_t i = 0; i < count; ++i) take(1);
  }
  return text + text_of_columns(names, rows, widths, first, end);
}

std::string seconds(std::int64_t ns) { return fmt::format("{:.3f} s", static_cast<double>(ns) * 1e-9); }

std::string percent(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
}

}  // namespace pure::core
