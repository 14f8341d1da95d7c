#include "base/settings.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/environment.hpp"
#include "base/printable_text.hpp"
#include "base/text.hpp"

namespace pure::core {
namespace {

// What a ring holds at least: four eager messages, each with its envelope of one cache line.
constexpr std::size_t eager_messages_in_a_ring = 4;
constexpr std::size_t envelope_bytes = 64;

using unit = setting_unit;

[[noreturn]] void refuse(const setting_row& row, std::string_view text) {
  throw Error(errc::argument,
              fmt::format("{}={} is not possible: allowed is {}; without it, the default is {}.", row.name,
                          printable_word(text), allowed_text(row), setting_text(settings{}, row)));
}

std::optional<std::uint64_t> parse_in_unit(std::string_view text, setting_unit in_unit) {
  if (in_unit == unit::bytes) return parse_bytes(text);
  text = trimmed(text);
  if (in_unit == unit::microseconds && text.ends_with("us")) text = trimmed(text.substr(0, text.size() - 2));
  if (in_unit == unit::seconds && text.ends_with('s')) text = trimmed(text.substr(0, text.size() - 1));
  return parse_number(text);
}

}  // namespace

settings read_settings() { return read_settings(environment()); }

settings read_settings(const char* const* environment) {
  settings values;
#ifndef NDEBUG
  values.check = true;
#endif
  for (const std::string_view name : unknown_settings(environment)) {
    if (is_mistyped_setting(name)) refuse_unknown_setting(name);
  }
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = std::min(entry.find('='), entry.size());
    const std::string_view text = entry.substr(std::min(equals + 1, entry.size()));
    if (text.empty()) continue;
    for (const setting_row& row : setting_rows()) {
      if (row.name == entry.substr(0, equals)) set_from_text(values, row, text);
    }
  }
  check_together(values);
  return values;
}

void set_from_text(settings& values, const setting_row& row, std::string_view text) {
  const auto set = [&]<typename T>(T settings::*member) {
    if constexpr (std::is_same_v<T, std::string>) {
      values.*member = trimmed(text);
      const bool is_word = std::find(row.words.begin(), row.words.end(), values.*member) != row.words.end();
      if ((values.*member).empty() || (!row.words.front().empty() && !is_word)) refuse(row, text);
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto on = parse_on_off(text);
      if (!on) refuse(row, text);
      values.*member = *on;
    } else {
      const auto number = parse_in_unit(text, row.unit);
      const bool in_range = number && *number >= row.lowest && *number <= row.highest;
      if (!in_range || (row.power_of_two && !std::has_single_bit(*number))) refuse(row, text);
      values.*member = static_cast<T>(*number);
    }
  };
  std::visit(set, row.field);
}

void check_together(const settings& values) {
  const std::size_t smallest = smallest_ring_bytes(values.eager_limit_bytes);
  if (values.ring_bytes >= smallest) return;
  throw Error(
      errc::argument,
      fmt::format("PURE_RING_BYTES={} is too small for PURE_EAGER_LIMIT={}: a ring holds at least {} eager messages "
                  "with an envelope of {} bytes each. Set PURE_RING_BYTES to {} or more, or PURE_EAGER_LIMIT to {} "
                  "or less.",
                  bytes_text(values.ring_bytes), bytes_text(values.eager_limit_bytes), eager_messages_in_a_ring,
                  envelope_bytes, bytes_text(smallest),
                  bytes_text(values.ring_bytes / eager_messages_in_a_ring - envelope_bytes)));
}

bool takes_lines(const settings& values) noexcept {
  return values.take_lines == "on" || (values.take_lines == "auto" && reader_should_take_lines());
}

std::size_t smallest_ring_bytes(std::size_t eager_limit_bytes) noexcept {
  return std::bit_ceil(eager_messages_in_a_ring * (eager_limit_bytes + envelope_bytes));
}

}  // namespace pure::core
