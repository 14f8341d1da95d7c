#include "base/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/text.hpp"

namespace pure::core {
namespace {

constexpr std::string_view prefix = "PURE_";

// What a ring holds at least: four eager messages, each with its envelope of one cache line.
constexpr std::size_t eager_messages_in_a_ring = 4;
constexpr std::size_t envelope_bytes = 64;

using unit = setting_unit;

[[noreturn]] void refuse(const setting_row& row, std::string_view text) {
  throw Error(errc::argument, fmt::format("{}={} is not possible: allowed is {}; without it, the default is {}.",
                                          row.name, text, allowed_text(row), setting_text(settings{}, row)));
}

std::optional<std::uint64_t> parse_in_unit(std::string_view text, setting_unit in_unit) {
  if (in_unit == unit::bytes) return parse_bytes(text);
  text = trimmed(text);
  if (in_unit == unit::microseconds && text.ends_with("us")) text = trimmed(text.substr(0, text.size() - 2));
  if (in_unit == unit::seconds && text.ends_with('s')) text = trimmed(text.substr(0, text.size() - 1));
  return parse_number(text);
}

// The row of a full name, exactly as it is written; null if there is none.
const setting_row* find_row(std::string_view name) noexcept {
  const auto rows = setting_rows();
  const auto found = std::ranges::find(rows, name, &setting_row::name);
  return found == rows.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_unknown(std::string_view name) {
  // The prefix is not compared: it would make every name look alike.
  std::vector<std::string_view> candidates;
  for (const setting_row& row : setting_rows()) {
    if (!row.internal) candidates.push_back(row.name.substr(prefix.size()));
  }
  const std::string word = in_upper_case(name);
  const std::string_view bare = word.starts_with(prefix) ? std::string_view(word).substr(prefix.size()) : word;
  const std::string_view meant = nearest(bare, candidates);
  throw Error(errc::argument, fmt::format("{} is not a setting of Pure{}; `pure info` lists them all.", name,
                                          meant.empty() ? "" : fmt::format(" (did you mean {}{}?)", prefix, meant)));
}

}  // namespace

settings read_settings() { return read_settings(environ); }

settings read_settings(const char* const* environment) {
  settings values;
#ifndef NDEBUG
  values.check = true;
#endif
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (!entry.starts_with(prefix) || equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    const setting_row* const row = find_row(name);
    if (row == nullptr) refuse_unknown(name);
    const std::string_view text = entry.substr(equals + 1);
    if (!text.empty()) set_from_text(values, *row, text);
  }
  check_together(values);
  return values;
}

const setting_row& setting_named(std::string_view name) {
  const std::string word = in_upper_case(name);
  const setting_row* row = find_row(word);
  if (row == nullptr) row = find_row(std::string(prefix) + word);
  if (row == nullptr) refuse_unknown(name);
  return *row;
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

std::size_t smallest_ring_bytes(std::size_t eager_limit_bytes) noexcept {
  return std::bit_ceil(eager_messages_in_a_ring * (eager_limit_bytes + envelope_bytes));
}

}  // namespace pure::core
