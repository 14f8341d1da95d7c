// What decides how collectives and messages go in words, for `pure info --tuning` and `pure bench tune`.
#pragma once

#include <string>
#include <vector>

#include "coll/tuning.hpp"

namespace pure::tool {

/// The table that PURE_TUNING names, or the built-in one. Throws pure::Error if the environment is wrong, or the file.
core::tuning table_in_force();

/// One line for each row, with a heading.
std::string tuning_text(const std::vector<core::tuning_row>& rows);

/// Every row of rows_in_force(), and where they come from; and which way messages go.
std::string tuning_in_force_text();

/// "4 or fewer", "any number".
std::string ranks_text(int most_ranks);

}  // namespace pure::tool
