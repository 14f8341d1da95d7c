#include "pure/message_ways.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "help_text.hpp"
#include "transport/cells.hpp"
#include "transport/rendezvous.hpp"

namespace pure::tool {
namespace {

const char* text_of(message_way way) noexcept {
  switch (way) {
    case message_way::ring: return "in the lines of the pair's ring";
    case message_way::cells: return "through cells, memory that changes hands; as without them, if none is free";
    case message_way::measured:
      return "from the sender's buffer, which the receiver reads, or both ends copy; through cells after two copies in "
             "a row whose lines were fetched from another core, if both halves of the buffer had changed";
    case message_way::receiver: return "from the sender's buffer: the receiver copies";
    case message_way::both_ends: return "from the sender's buffer: both ends copy, if the sender waits";
    case message_way::all_who_wait: return "likewise: so do ranks that wait for something else";
  }
  return "";
}

std::string sizes_text(const ways_row& row) {
  if (row.up_to == longest_message) return "longer";
  const std::string most = core::bytes_text(row.up_to);
  const std::string above = core::bytes_text(row.up_to + 1);
  return above.size() < most.size() ? "below " + above : "up to " + most;
}

std::size_t longest_timed(std::size_t index) noexcept { return core::copy_speed::first_bytes << index; }

}  // namespace

const char* name_of(message_way way) noexcept {
  switch (way) {
    case message_way::ring: return "ring";
    case message_way::cells: return "cells";
    case message_way::measured: return "measured";
    case message_way::receiver: return "receiver";
    case message_way::both_ends: return "both_ends";
    case message_way::all_who_wait: return "all_who_wait";
  }
  return "";
}

message_way way_of(std::size_t bytes, const core::settings& values) noexcept {
  const bool may_be_in_cells = values.cells != "off" && bytes > core::message_terms::worth_cells_bytes &&
                               bytes <= core::message_terms::most_bytes_through_cells(values.packed_copy_max_bytes);
  if (bytes <= values.eager_limit_bytes) return may_be_in_cells ? message_way::cells : message_way::ring;
  if (may_be_in_cells) return values.cells == "on" ? message_way::cells : message_way::measured;
  if (bytes < values.shared_copy_min_bytes) return message_way::receiver;
  return bytes / values.shared_copy_min_bytes < core::rendezvous::worth_a_task ? message_way::both_ends
                                                                               : message_way::all_who_wait;
}

std::vector<ways_row> ways_of_messages(const core::settings& values) {
  const std::size_t shared = values.shared_copy_min_bytes;
  std::vector<std::size_t> ends{core::message_terms::worth_cells_bytes,
                                values.eager_limit_bytes,
                                core::message_terms::most_bytes_through_cells(values.packed_copy_max_bytes),
                                shared - 1,
                                core::rendezvous::worth_a_task * shared - 1,
                                longest_message};
  std::sort(ends.begin(), ends.end());
  std::vector<ways_row> rows;
  for (const std::size_t end : ends) {
    const message_way way = way_of(end, values);
    if (!rows.empty() && rows.back().way == way) {
      rows.back().up_to = end;
    } else {
      rows.push_back({end, way});
    }
  }
  return rows;
}

std::string message_ways_text(const core::settings& values) {
  constexpr std::size_t column = 20;
  std::string text = "Messages between ranks of a process, by their bytes\n\n";
  for (const ways_row& row : ways_of_messages(values)) {
    text += help_text::entry(sizes_text(row), column, text_of(row.way));
  }
  text += fmt::format(
      "\n  PURE_EAGER_LIMIT={}, PURE_CELLS={}, PURE_PACKED_COPY_MAX={},\n  PURE_SHARED_COPY_MIN={}; and\n",
      core::bytes_text(values.eager_limit_bytes), values.cells, core::bytes_text(values.packed_copy_max_bytes),
      core::bytes_text(values.shared_copy_min_bytes));
  for (const number_of_ways& each : numbers_of_ways) {
    text += help_text::entry(fmt::format("{}", each.value), column,
                             fmt::format("{} (docs/decisions.md, {})", each.meaning, each.decision));
  }
  text += "\nCopies on this machine, measured just now: nanoseconds for a line\n\n";
  constexpr const char* line = "  {:<18}{:>9}  {:>17}\n";
  text += fmt::format(line, "bytes", "own lines", "fetched, if above");
  const core::copy_speed& speed = core::measured_copy_speed();
  for (std::size_t i = 0; i < core::copy_speed::sizes; ++i) {
    text += fmt::format(line, "up to " + core::bytes_text(longest_timed(i)),
                        fmt::format("{:.2f}", speed.own_line_ns[i]),
                        fmt::format("{:.2f}", speed.fetched_line_ns(longest_timed(i))));
  }
  return text;
}

nlohmann::json message_ways_json(const core::settings& values) {
  using nlohmann::json;
  json ways = json::array();
  for (const ways_row& row : ways_of_messages(values)) {
    ways.push_back({{"up_to", row.up_to == longest_message ? json() : json(row.up_to)}, {"way", name_of(row.way)}});
  }
  const core::copy_speed& speed = core::measured_copy_speed();
  json copies = json::array();
  for (std::size_t i = 0; i < core::copy_speed::sizes; ++i) {
    copies.push_back({{"up_to", longest_timed(i)},
                      {"own_line_ns", speed.own_line_ns[i]},
                      {"fetched_line_ns", speed.fetched_line_ns(longest_timed(i))}});
  }
  json numbers = json::object();
  for (const number_of_ways& each : numbers_of_ways) numbers[each.name] = each.value;
  return json{{"ways", std::move(ways)}, {"copies", std::move(copies)}, {"numbers", std::move(numbers)}};
}

}  // namespace pure::tool
