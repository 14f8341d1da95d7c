// Making windows, and freeing them (MPI 4.1, 12.2).
//
// Collective over the communicator, but for abandon(). An error that one rank finds when a window is made, in its
// arguments or where memory is missing, is thrown in all, and names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "window/window.hpp"

namespace pure::core {

/// What one rank wants. `needs_epochs`: operations outside an epoch are errors. `wrong`: the interface has found its
/// arguments wrong, and all ranks are to get that error; the rest says nothing.
struct window_wish {
  window_flavor flavor = window_flavor::allocate;
  std::size_t bytes = 0;   // of its part
  std::int64_t unit = 1;   // of displacements to its part, in bytes
  void* memory = nullptr;  // of `create`
  window_options options;
  bool needs_epochs = true;
  std::optional<Error> wrong = std::nullopt;
};

/// describe(), or a wish with what it throws.
template <class Describe>
window_wish wish_of(Describe&& describe) {
  window_wish wanted;
  try {
    wanted = describe();
  } catch (const Error& error) {
    wanted.wrong.emplace(error);
  }
  return wanted;
}

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
