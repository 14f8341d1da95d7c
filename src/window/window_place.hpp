// Where an operation works: memory of one rank of a window, as the program says it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/layout.hpp"
#include "window/place_in_part.hpp"
#include "window/window_end.hpp"

namespace pure::core {

/// Memory of one rank of a window: from `offset` of its units on. `form` as in placed_message.
struct window_place {
  int rank = 0;
  std::int64_t offset = 0;
  std::size_t bytes = 0;
  const layout* form = nullptr;
};

/// The same bytes, counted from where the part begins. They are in it.
inline place_in_part place_in_part_of(const window_end& of, const window_place& where) {
  const bool is_address = of.shared().flavor() == window_flavor::dynamic;
  const auto unit = is_address ? 1 : static_cast<std::ptrdiff_t>(of.at(where.rank).unit);
  return {where.rank, where.offset * unit, where.bytes, where.form};
}

}  // namespace pure::core
