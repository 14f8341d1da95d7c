// What one rank wants of a window that is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <pure/error.hpp>

#include "window/window_group.hpp"

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

}  // namespace pure::core
