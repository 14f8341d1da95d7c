// A read of a window's memory as a request (MPI 4.1, 12.3.5). Its bytes have come when it starts; so it is complete
// then, and needs an entry only where calls are checked: there the program may do anything at the place that it has
// read only when wait or test has completed the request.
//
// Own thread of the rank.
#pragma once

#include <cstdint>

#include "base/call.hpp"
#include "match/handle_table.hpp"
#include "window/operations.hpp"

namespace pure::core {

class window;

/// get(), as a request of the origin's communicator.
[[nodiscard]] handle start_get(window& from, const call& by, const placed_message& into, const window_place& where);
/// The same of accumulate() with `before`, for no_op, which only reads.
[[nodiscard]] handle start_look(window& at, const call& by, const placed_message& before, const window_place& where,
                                const combination& how);

}  // namespace pure::core
