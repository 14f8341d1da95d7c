// A message's bytes in memory, and what keeps their layout.
#pragma once

#include <cstddef>

#include "layout/layout.hpp"

namespace pure::core {

/// Bytes that a message takes, or brings: laid out from `base` on as `form` says; null: in a row. (To be sent, they are
/// not written.)
struct placed_message {
  void* base = nullptr;
  std::size_t bytes = 0;
  layout_pointer form;
};

}  // namespace pure::core
