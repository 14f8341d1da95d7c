// Making windows, and freeing them (MPI 4.1, 12.2).
//
// Collective over the communicator, but for abandon(). An error that one rank finds when a window is made, in its
// arguments or where memory is missing, is thrown in all, and names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "window/window.hpp"
#include "window/window_wish.hpp"

namespace pure::core {

/// Throws displacement, argument, buffer, no_memory, rma_shared, mismatch, and what is wrong in a wish.
window& make_window(communicator& on, const call& by, const window_wish& wanted);
/// Throws rma_sync in the ranks that have an epoch open, before anything is done. Otherwise the window is gone when it
/// returns, and all have called. Gives back the error of an operation that was refused, which the caller throws when
/// its handle is gone, too.
[[nodiscard]] std::exception_ptr free_window(window& unused, const call& by);
/// Ends its use by this rank, at once. The window's memory lasts until all have done so; a part in memory of the
/// program is taken back.
void abandon(window& unused) noexcept;

}  // namespace pure::core
