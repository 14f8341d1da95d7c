// PURE_CHECK: a collective call on a window, and whether all ranks make the same one on the same window. Windows of one
// communicator have its barrier in common: without this, a fence of one of them would end one of another.
#pragma once

#include "base/call.hpp"
#include "window/checks/window_checks.hpp"
#include "window/window_end.hpp"

namespace pure::core {

/// Returns when all ranks have called it; what they have done before is seen by all. Throws mismatch, in all ranks, if
/// some have called it for another window, or by another operation.
void agree_on_call(window_checks& checks, const window_end& on, const call& by);

}  // namespace pure::core
