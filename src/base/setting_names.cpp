// Settings by their names, and what to say of names that are none. See settings.hpp.
//
// A name that is none is a mistake, and an error, only where it can hardly be anything else: PURE_HOME may be a
// variable of somebody's own. What separates the two:
//   - a difference in case and underscores only, or a plural for a singular, is a mistake in any name;
//   - so is one letter too many, too few or wrong in a name of 6 letters or more, and two in one of 12 or more;
//   - shorter names have neighbours that are plain words (RANKS: BANKS; STATS: STATUS; TRACE: TRACK): only letters that
//     have changed places, or stand twice, are mistakes there.
// All else is warned of, with the nearest name.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"

namespace pure::core {
namespace {

constexpr std::string_view setting_prefix = "PURE_";
// Compilers that purecxx, purecc and purefc run, and the place of its modules.
constexpr std::string_view of_compilers[] = {"PURE_CXX", "PURE_CC", "PURE_FC", "PURE_FORTRAN_MODULES"};

std::string without_prefix(std::string_view name) {
  const std::string word = in_upper_case(name);
  return word.starts_with(setting_prefix) ? word.substr(setting_prefix.size()) : word;
}

// " (did you mean PURE_RANKS?)", or nothing. The prefix is not compared: it would make every name look alike.
std::string suggested_setting(std::string_view name) {
  std::vector<std::string_view> candidates;
  for (const setting_row& row : setting_rows()) {
    if (!row.internal) candidates.push_back(row.name.substr(setting_prefix.size()));
  }
  const std::string_view meant = nearest(without_prefix(name), candidates);
  return meant.empty() ? "" : fmt::format(" (did you mean {}{}?)", setting_prefix, meant);
}

std::string letters_of(std::string_view name) {
  std::string letters = without_prefix(name);
  std::erase(letters, '_');
  return letters;
}

bool is_plural_of(std::string_view longer, std::string_view shorter) noexcept {
  return longer.starts_with(shorter) && (longer.substr(shorter.size()) == "S" || longer.substr(shorter.size()) == "ES");
}

std::string without_doubles(std::string letters) {
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  return letters;
}

std::string in_order(std::string letters) {
  std::sort(letters.begin(), letters.end());
  return letters;
}

// Whether the one is the other with mistakes. Both as letters_of gives them.
bool is_mistyped(const std::string& written, const std::string& name) {
  constexpr std::size_t long_enough_for_one = 6, long_enough_for_two = 12;
  if (written.empty()) return false;
  if (written == name || is_plural_of(written, name) || is_plural_of(name, written)) return true;
  const std::size_t mistakes = edit_distance(written, name);
  if (name.size() >= long_enough_for_one) return mistakes <= (name.size() >= long_enough_for_two ? 2 : 1);
  const bool is_swapped = mistakes == 1 && in_order(written) == in_order(name);
  return is_swapped || (mistakes == 1 && without_doubles(written) == without_doubles(name));
}

bool is_setting(std::string_view name) noexcept {
  const auto rows = setting_rows();
  return std::any_of(rows.begin(), rows.end(), [name](const setting_row& row) { return row.name == name; });
}

}  // namespace

bool is_mistyped_setting(std::string_view name) {
  if (is_setting(name)) return false;
  const std::string written = letters_of(name);
  const auto rows = setting_rows();
  return std::any_of(rows.begin(), rows.end(), [&](const setting_row& row) {
    return !row.internal && is_mistyped(written, letters_of(row.name));
  });
}

std::vector<std::string_view> unknown_settings(const char* const* environment) {
  std::vector<std::string_view> names;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (!entry.starts_with(setting_prefix) || equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    const bool is_of_compilers = std::find(std::begin(of_compilers), std::end(of_compilers), name) !=
                                 std::end(of_compilers);
    if (!is_setting(name) && !is_of_compilers) names.push_back(name);
  }
  return names;
}

std::string text_of_foreign_settings(const char* const* environment) {
  std::vector<std::string_view> names = unknown_settings(environment);
  std::erase_if(names, is_mistyped_setting);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 < names.size() ? ", " : " and ";
    text += printable_word(names[i]) + suggested_setting(names[i]);
  }
  if (names.empty()) return {};
  return fmt::format("{} {} of Pure, and {} for nothing; `pure info` lists them all.", text,
                     names.size() == 1 ? "is not a setting" : "are not settings",
                     names.size() == 1 ? "counts" : "count");
}

void refuse_unknown_setting(std::string_view name) {
  throw Error(errc::argument, fmt::format("{} is not a setting of Pure{}; `pure info` lists them all.",
                                          printable_word(name), suggested_setting(name)));
}

const setting_row& setting_named(std::string_view name) {
  const std::string word = in_upper_case(name);
  for (const setting_row& row : setting_rows()) {
    if (row.name == word || row.name.substr(setting_prefix.size()) == word) return row;
  }
  refuse_unknown_setting(name);
}

}  // namespace pure::core
