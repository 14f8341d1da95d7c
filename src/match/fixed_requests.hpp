// Requests that were complete when they started: their handles are constants, and no entry is spent on them.
#pragma once

#include "match/handle_table.hpp"
#include "match/status.hpp"

namespace pure::core {

inline constexpr handle finished_send = handle::fixed(1);
inline constexpr handle finished_receive = handle::fixed(2);  // from proc_null

/// What is no request, where a door's null request is another number than 0.
inline constexpr handle not_a_request = handle::fixed(15);

/// Of a fixed handle: null, or one of those above.
[[nodiscard]] constexpr bool is_fixed_request(handle fixed) noexcept { return fixed.value <= finished_receive.value; }

inline constexpr status status_from_nobody{.source = proc_null, .tag = any_tag};
inline constexpr status status_of_nothing{};

/// What such a request, or the null request, gives.
[[nodiscard]] constexpr const status& outcome_of_fixed(handle request) noexcept {
  return request == finished_receive ? status_from_nobody : status_of_nothing;
}

}  // namespace pure::core
