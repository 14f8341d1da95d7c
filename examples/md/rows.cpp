// Numbering and colouring of rows; rows.hpp says why six colours.
#include "rows.hpp"

namespace md {

rows::rows(const cells& c, const loops& l) : cells_(c), loops_(l) {
  const auto along_y = static_cast<std::size_t>(c.counts()[1]);
  const auto along_z = static_cast<std::size_t>(c.counts()[2]);
  for (std::size_t z = 0; z < along_z; ++z) {
    for (std::size_t y = 0; y < along_y; ++y) {
      const std::size_t number = y + along_y * z;
      in_order_.push_back(number);
      by_colour_[y % 3 + 3 * (z % 2)].push_back(number);
    }
  }
  sums_.resize(count());
}

row rows::at(std::size_t number) const {
  const auto cells_in_row = static_cast<std::size_t>(cells_.counts()[0]);
  const std::size_t first = number * cells_in_row;
  const std::size_t last = first + cells_in_row;
  return {.number = number,
          .first_cell = first,
          .last_cell = last,
          .first = cells_.first_atom(first),
          .last = cells_.first_atom(last)};
}

}  // namespace md
