// Tables of --stats: rows with names, in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pure::core {

using row = std::vector<std::string>;

/// The rows of a table, of which the first are the headings, without a name. A row may have fewer cells than others.
struct named_rows {
  explicit named_rows(row headings);
  void add(std::string name, row cells);
  std::vector<std::string> names;
  std::vector<row> rows;
};

/// In columns, each row with its name before it. `together`: how many columns belong together, from the first on; where
/// they do not fit a line beside those before, they are in a table of their own below.
std::string text_of_rows(const named_rows& table, std::span<const std::size_t> together);

std::string seconds(std::int64_t ns);
std::string percent(std::int64_t part, std::int64_t whole);

}  // namespace pure::core
