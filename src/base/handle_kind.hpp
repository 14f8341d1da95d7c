// What a handle of a user stands for: each kind has a number of its own, so that no handle is taken for one of another
// kind, whatever door it came through. Rooms add theirs here.
#pragma once

#include <cstdint>

namespace pure::core {

enum class handle_kind : std::uint8_t {
  // match: requests, and what a matched probe has taken out
  receive,
  send,
  operation,
  message,
  // comm
  communicator,
  group,
  // window, aggregation
  window,
  aggregation,
  // doors
  datatype,
  reduction,
  info,
  error_handler,
};

/// Of a handle (match/handle_table.hpp): 32 kinds.
inline constexpr std::uint32_t handle_kind_bits = 5;

}  // namespace pure::core
