// Settings as people read them: values, what is allowed, and docs/settings.md.
#include "base/settings.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace pure::core {
namespace {

std::string number_text(std::uint64_t number, setting_unit in_unit) {
  switch (in_unit) {
    case setting_unit::bytes: return bytes_text(number);
    case setting_unit::microseconds: return fmt::format("{} us", number);
    case setting_unit::seconds: return fmt::format("{} s", number);
    default: return fmt::format("{}", number);
  }
}

}  // namespace

std::string setting_text(const settings& values, const setting_row& row) {
  const auto text = [&]<typename T>(T settings::*member) -> std::string {
    if (!row.otherwise.empty() && values.*member == settings{}.*member) return std::string(row.otherwise);
    if constexpr (std::is_same_v<T, std::string>)
      return values.*member;
    else if constexpr (std::is_same_v<T, bool>)
      return values.*member ? "on" : "off";
    else
      return number_text(static_cast<std::uint64_t>(values.*member), row.unit);
  };
  return std::visit(text, row.field);
}

std::string allowed_text(const setting_row& row) {
  if (row.unit == setting_unit::text) return std::string(row.texts);
  if (row.unit == setting_unit::on_off) return "on or off";
  const bool is_time = row.unit == setting_unit::microseconds || row.unit == setting_unit::seconds;
  const setting_unit of_lowest = is_time ? setting_unit::number : row.unit;  // the unit of a time is said once
  return fmt::format("{}{} to {}", row.power_of_two ? "a power of two, " : "", number_text(row.lowest, of_lowest),
                     number_text(row.highest, row.unit));
}

std::string settings_document() {
  std::string text =
      "# Settings\n"
      "\n"
      "A job reads its settings from environment variables when it starts. `purerun --set NAME=VALUE` sets them too, and\n"
      "`pure info` prints all of them with the values that are in force and where these came from. An empty value counts as\n"
      "unset. A wrong value is an error, and so is a mistyped name, such as `PURE_RANK`: it is never silently ignored. Any other\n"
      "variable that begins with `PURE_` and is none of these may be somebody else's: the start of a job warns of it, once, and\n"
      "suggests what may be meant.\n"
      "\n"
      "A program that runs with more rights than whoever starts it (set-user-ID, set-group-ID, file capabilities) must not be\n"
      "led by that person's variables: there all settings have their defaults, and so has hwloc. The start of a job says so if\n"
      "there are any. `purerun` refuses to start such a program, and an MPI's `mpiexec` cannot make it one of several processes.\n"
      "\n"
      "A file that a setting names for reading is a file or a pipe, and has at most 16 MiB.\n"
      "\n"
      "Sizes are bytes, or have a unit: `8192`, `8K`, `8KB` and `8 KiB` are the same. The units are K, M, G and T, powers of\n"
      "1024. Switches are `on` or `off` (also `1` and `0`, `yes` and `no`, `true` and `false`).\n"
      "\n"
      "This page is written from the table in the library itself (`src/base/settings_table.cpp`); a test compares them.\n"
      "\n"
      "| Setting | Default | Allowed | Meaning | Read by |\n"
      "|---|---|---|---|---|\n";
  const settings defaults;
  for (const setting_row& row : setting_rows()) {
    text += fmt::format("| `{}` | {} | {} | {}.{} | {} |\n", row.name, setting_text(defaults, row), allowed_text(row),
                        row.meaning, row.internal ? " Internal: not for people to set." : "", row.read_by);
  }
  return text;
}

}  // namespace pure::core
