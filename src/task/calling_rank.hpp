// The rank that makes a call.
#pragma once

#include "base/call.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

/// "Outside a rank", "in a chunk", "in a child of a rank": state.
[[noreturn]] void throw_outside_rank(const call& by);

/// Throws state where there is none.
inline rank_context& rank_of(const call& by) {
  rank_context* const rank = self();
  if (rank == nullptr) [[unlikely]]
    throw_outside_rank(by);
  return *rank;
}

}  // namespace pure::core
