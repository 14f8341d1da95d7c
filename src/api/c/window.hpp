// Window handles of pure.h. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <cstdint>

#include "api/c/door.hpp"
#include "api/c/group.hpp"
#include "window/window_table.hpp"

namespace pure::core {

/// Throws win for a handle that names none.
inline window& window_of(const call& by, pure_win win) {
  rank_context& rank = rank_of(by);
  window* const found = window_table::of(rank).find(static_cast<std::uint64_t>(win));
  if (found == nullptr) [[unlikely]]
    throw_wrong_call(by, errc::win, why_unknown(rank, static_cast<std::uint64_t>(win), "window"));
  return *found;
}

/// "... the callback that deletes attribute K has returned R".
[[noreturn]] void throw_failed_callback(const window& of, const call& by, int keyval, int result);

}  // namespace pure::core
