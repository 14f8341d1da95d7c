// Which way a message between two ranks of a process goes, by its size, and the numbers that decide: for `pure info`.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/settings.hpp"
#include "match/message_terms.hpp"
#include "transport/copy_speed.hpp"

namespace pure::tool {

enum class message_way {
  ring,
  cells,
  measured,  // from the sender's buffer or through cells
  receiver,  // from the sender's buffer, as all others
  both_ends,
  all_who_wait,
};
const char* name_of(message_way way) noexcept;

/// A plain message of so many bytes with these settings, where nothing is in its way. match/message_sender.cpp decides.
message_way way_of(std::size_t bytes, const core::settings& values) noexcept;

/// Messages of at most `up_to` bytes, and more than those of the row before.
struct ways_row {
  std::size_t up_to;  // of the last row: longest_message
  message_way way;
};
inline constexpr std::size_t longest_message = static_cast<std::size_t>(-1);
std::vector<ways_row> ways_of_messages(const core::settings& values);

/// The numbers that stand in the code, and the decisions that say where they come from.
struct number_of_ways {
  const char* name;
  double value;
  const char* meaning;
  const char* decision;  // in docs/decisions.md
};
inline constexpr std::array numbers_of_ways{
    number_of_ways{"worth_cells_bytes", core::message_terms::worth_cells_bytes,
                   "bytes: a longer message takes less time through cells than in the lines of its ring", "D-cells"},
    number_of_ways{"fetched", core::copy_speed::fetched,
                   "times as long as the best copy of own lines: a copy that takes longer has fetched its lines from "
                   "another core",
                   "D-fresh-line"},
    number_of_ways{"fetched_of_long", core::copy_speed::fetched_of_long, "likewise, from 32 KiB on", "D-fresh-line"}};

/// Both, for people: the ways, and how long copies take here. Measures that, unless the process has done so before.
std::string message_ways_text(const core::settings& values);
/// The same for programs.
nlohmann::json message_ways_json(const core::settings& values);

}  // namespace pure::tool
