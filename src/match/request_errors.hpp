// What is wrong with a request, in words. Own thread of the rank only.
#pragma once

#include <string>

#include "base/call.hpp"
#include "match/handle_table.hpp"
#include "match/request_entries.hpp"
#include "match/status.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// A call has been given a request that it cannot take.
[[noreturn]] void throw_wrong_request(const call& by, const rank_context& self, const std::string& text);
/// Of a handle that names no live request of this rank: whether it was freed, or is another rank's.
[[noreturn]] void throw_invalid_request(const call& by, const rank_context& self, handle request);

}  // namespace pure::core
