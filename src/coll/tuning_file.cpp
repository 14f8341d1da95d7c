// The file form of the table, JSON:
//
//   {"collectives": [
//     {"collective": "allreduce", "ranks": 16, "shared_cores": false,
//      "copied_bytes": 2048, "tree_radix": 0, "piece_bytes": 8192}, ...]}
//
// "ranks" is the most for which the row holds; without it, any number. Rows are looked up in their order, those of the
// built-in table after them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include <pure/error.hpp>

#include "coll/tuning.hpp"

namespace pure::core {

namespace {

using nlohmann::json;

template <class T>
T number_in(const json& row, const char* name, T lowest, T highest, T otherwise) {
  if (!row.contains(name)) return otherwise;
  const json& value = row.at(name);
  if (!value.is_number_integer() || value.get<std::int64_t>() < static_cast<std::int64_t>(lowest) ||
      value.get<std::int64_t>() > static_cast<std::int64_t>(highest)) {
    throw std::invalid_argument(fmt::format("\"{}\" is {}, but must be a number from {} to {}", name, value.dump(),
                                            lowest, highest));
  }
  return value.get<T>();
}

tuning_row row_of(const json& from) {
  constexpr std::array<std::string_view, 6> names = {"collective", "ranks", "shared_cores", "copied_bytes", "tree_radix", "piece_bytes"};
  for (const auto& [name, value] : from.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw std::invalid_argument(fmt::format("\"{}\" is nothing that a row has", name));
    }
  }
  tuning_row row{};
  const auto name = from.at("collective").get<std::string>();
  if (!collective_named(name, row.kind)) throw std::invalid_argument(fmt::format("\"{}\" is no collective", name));
  constexpr int any_ranks = std::numeric_limits<int>::max();
  row.most_ranks = number_in(from, "ranks", 1, any_ranks, any_ranks);
  row.shared_cores = from.value("shared_cores", false);
  const tactics otherwise;
  row.use.copied_bytes =
      number_in(from, "copied_bytes", std::size_t{8}, tuning::most_copied_bytes, otherwise.copied_bytes);
  row.use.tree_radix = number_in(from, "tree_radix", 0, 1024, otherwise.tree_radix);
  if (row.use.tree_radix == 1) throw std::invalid_argument("\"tree_radix\" is 1: 0 means no tree, and trees have 2 or more");
  row.use.piece_bytes =
      number_in(from, "piece_bytes", std::size_t{1024}, std::size_t{1} << 30, otherwise.piece_bytes);
  return row;
}

}  // namespace

tuning::tuning(const std::string& path) : tuning() {
  const auto refuse = [&](const std::string& text) {
    throw Error(errc::argument, fmt::format("PURE_TUNING={}: {}; `pure bench tune` writes such a file", path, text));
  };
  std::ifstream file(path);
  if (!file) refuse("the file cannot be read");
  std::vector<tuning_row> rows;
  try {
    const json whole = json::parse(file);
    for (const json& each : whole.at("collectives")) {
      try {
        rows.push_back(row_of(each));
      } catch (const std::exception& error) {
        refuse(fmt::format("row {}: {}", rows.size() + 1, error.what()));
      }
    }
  } catch (const json::exception& error) {
    refuse(error.what());
  }
  rows_.insert(rows_.begin(), rows.begin(), rows.end());
}

}  // namespace pure::core
