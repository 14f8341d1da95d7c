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
#include <nlohmann/json.hpp>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "coll/tuning.hpp"

namespace pure::core {

namespace {

using nlohmann::json;

struct bad_table : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Refuses members that mean nothing: a typing mistake is never silently ignored.
template <std::size_t N>
void allow_only(const json& object, const std::array<std::string_view, N>& names) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string_view meant = nearest(name, names);
    throw bad_table(
        fmt::format("there is no \"{}\"{}", name, meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant)));
  }
}

template <class T>
T number_in(const json& row, const char* name, T lowest, T highest, T otherwise) {
  if (!row.contains(name)) return otherwise;
  const json& value = row.at(name);
  if (!value.is_number_integer() || value.get<std::int64_t>() < static_cast<std::int64_t>(lowest) ||
      value.get<std::int64_t>() > static_cast<std::int64_t>(highest)) {
    throw bad_table(
        fmt::format("\"{}\" is {}, but must be a number from {} to {}", name, value.dump(), lowest, highest));
  }
  return value.get<T>();
}

detail::collective kind_in(const json& row) {
  if (!row.contains("collective")) throw bad_table("it does not say which \"collective\" it is for");
  const json& value = row.at("collective");
  detail::collective kind{};
  if (!value.is_string() || !collective_named(value.get<std::string>(), kind)) {
    std::string all;
    for (std::size_t i = 0; i < detail::collective_kinds; ++i) {
      all += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(static_cast<detail::collective>(i)));
    }
    throw bad_table(fmt::format("{} is no collective; these are: {}", value.dump(), all));
  }
  return kind;
}

tuning_row row_of(const json& from) {
  if (!from.is_object()) throw bad_table(fmt::format("it is {}, not an object", from.dump()));
  allow_only<6>(from, {"collective", "ranks", "shared_cores", "copied_bytes", "tree_radix", "piece_bytes"});
  tuning_row row{};
  row.kind = kind_in(from);
  row.most_ranks = number_in(from, "ranks", 1, tuning::any_ranks, tuning::any_ranks);
  if (from.contains("shared_cores")) {
    const json& value = from.at("shared_cores");
    if (!value.is_boolean()) throw bad_table(fmt::format("\"shared_cores\" is {}, not true or false", value.dump()));
    row.shared_cores = value.get<bool>();
  }
  const algorithm_choice otherwise;
  row.use.copied_bytes = number_in(from, "copied_bytes", std::size_t{8}, tuning::most_copied_bytes,
                                   otherwise.copied_bytes);
  row.use.tree_radix = number_in(from, "tree_radix", 0, 1024, otherwise.tree_radix);
  if (row.use.tree_radix == 1) throw bad_table("\"tree_radix\" is 1: 0 means no tree, and trees have 2 or more");
  row.use.piece_bytes = number_in(from, "piece_bytes", std::size_t{1024}, std::size_t{1} << 30, otherwise.piece_bytes);
  return row;
}

std::vector<tuning_row> rows_of(const json& whole) {
  if (!whole.is_object() || !whole.contains("collectives") || !whole.at("collectives").is_array()) {
    throw bad_table("it is not an object with a list \"collectives\"");
  }
  allow_only<1>(whole, {"collectives"});
  std::vector<tuning_row> rows;
  for (const json& each : whole.at("collectives")) {
    try {
      rows.push_back(row_of(each));
    } catch (const bad_table& error) {
      throw bad_table(fmt::format("row {}: {}", rows.size() + 1, error.what()));
    }
  }
  return rows;
}

std::vector<tuning_row> read_rows(const std::string& path) {
  std::string content;
  const std::string problem = read_small_file(path, content);
  if (!problem.empty()) throw bad_table("it " + problem);
  try {
    return rows_of(json::parse(content));
  } catch (const json::parse_error& error) {
    throw bad_table(fmt::format("it is not JSON (byte {})", error.byte));
  }
}

}  // namespace

tuning::tuning(const std::string& path) : tuning() {
  try {
    const std::vector<tuning_row> rows = read_rows(path);
    rows_.insert(rows_.begin(), rows.begin(), rows.end());
  } catch (const bad_table& error) {
    throw Error(errc::argument, fmt::format("PURE_TUNING={}: {}; `pure bench tune` writes such a file",
                                            printable_word(path), printable_word(error.what())));
  }
}

std::string tuning_file_text(const std::vector<tuning_row>& rows) {
  std::string text = "{\"collectives\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const tuning_row& row = rows[i];
    text += fmt::format("{}\n  {{\"collective\": \"{}\", ", i == 0 ? "" : ",", name_of(row.kind));
    if (row.most_ranks != tuning::any_ranks) text += fmt::format("\"ranks\": {}, ", row.most_ranks);
    text += fmt::format("\"shared_cores\": {}, \"copied_bytes\": {}, \"tree_radix\": {}, \"piece_bytes\": {}}}",
                        row.shared_cores, row.use.copied_bytes, row.use.tree_radix, row.use.piece_bytes);
  }
  return text + "\n]}\n";
}

}  // namespace pure::core
