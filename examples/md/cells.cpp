// Link cells by counting sort; cells.hpp says what they promise.
#include "cells.hpp"

#include <algorithm>

namespace md {
namespace {

// Cells are never narrower than the cutoff, also where a sub-box is a whole number of cutoffs wide but for rounding.
int cells_across(double width, double cutoff) { return std::max(1, static_cast<int>(width / cutoff)); }

}  // namespace

cells::cells(const grid& g, double cutoff) : low_(g.low), per_width_{}, count_{}, owned_count_(1) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double width = g.high[axis] - g.low[axis];
    count_[axis] = cells_across(width, cutoff);
    per_width_[axis] = count_[axis] / width;
    owned_count_ *= static_cast<std::size_t>(count_[axis]);
  }

  // Number the owned cells first, both kinds in the order x, y, z.
  const std::size_t all = static_cast<std::size_t>(count_[0] + 2) * static_cast<std::size_t>(count_[1] + 2) *
                          static_cast<std::size_t>(count_[2] + 2);
  number_.resize(all);
  auto next_owned = std::uint32_t{0};
  auto next_ghost = static_cast<std::uint32_t>(owned_count_);
  std::size_t place = 0;
  for (int z = -1; z <= count_[2]; ++z) {
    for (int y = -1; y <= count_[1]; ++y) {
      for (int x = -1; x <= count_[0]; ++x, ++place) {
        const bool owned = x >= 0 && x < count_[0] && y >= 0 && y < count_[1] && z >= 0 && z < count_[2];
        number_[place] = owned ? next_owned++ : next_ghost++;
      }
    }
  }

  first_neighbour_.push_back(0);
  for (int z = 0; z < count_[2]; ++z) {
    for (int y = 0; y < count_[1]; ++y) {
      for (int x = 0; x < count_[0]; ++x) {
        const std::uint32_t here = number({x, y, z});
        for (int dz = -1; dz <= 1; ++dz) {
          for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
              const std::uint32_t there = number({x + dx, y + dy, z + dz});
              if (there > here) neighbours_.push_back(there);
            }
          }
        }
        // Owned cells first: their atoms then precede the ghosts in every list of neighbours.
        std::sort(neighbours_.begin() + first_neighbour_.back(), neighbours_.end());
        first_neighbour_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
      }
    }
  }
  start_.assign(all + 1, 0);
}

std::uint32_t cells::number(const std::array<int, 3>& at) const {
  const int place = (at[0] + 1) + (count_[0] + 2) * ((at[1] + 1) + (count_[1] + 2) * (at[2] + 1));
  return number_[static_cast<std::size_t>(place)];
}

std::span<const std::uint32_t> cells::higher_neighbours(std::size_t cell) const {
  return std::span(neighbours_).subspan(first_neighbour_[cell], first_neighbour_[cell + 1] - first_neighbour_[cell]);
}

std::span<const std::uint32_t> cells::members(std::size_t cell) const {
  return std::span(members_).subspan(start_[cell], start_[cell + 1] - start_[cell]);
}

// The clamp comes before the conversion, so that a coordinate which is far off or not a number has a cell, too.
int cells::coordinate(unsigned axis, double x, int lowest, int highest) const {
  const double cell = (x - low_[axis]) * per_width_[axis] +
                      1;  // positive in the ghost layer, so that a cast rounds down
  if (!(cell > lowest + 1)) return lowest;
  if (cell >= highest + 1) return highest;
  return static_cast<int>(cell) - 1;
}

// A counting sort of the atoms by cell_of_, stable, into the members of the cells.
void cells::list(std::size_t first_cell, std::size_t cell_count, std::size_t first_atom, std::size_t atom_count) {
  const auto counts = start_.begin() + static_cast<std::ptrdiff_t>(first_cell) + 1;
  std::fill_n(counts, cell_count, 0U);
  for (std::size_t i = first_atom; i < first_atom + atom_count; ++i) ++start_[cell_of_[i] + 1];
  // Now start_[c + 1] counts cell c. Make it the place of c's first member, then advance it past the last.
  auto place = static_cast<std::uint32_t>(first_atom);
  for (std::size_t c = 0; c < cell_count; ++c) {
    const std::uint32_t size = counts[static_cast<std::ptrdiff_t>(c)];
    counts[static_cast<std::ptrdiff_t>(c)] = place;
    place += size;
  }
  members_.resize(first_atom + atom_count);
  for (std::size_t i = first_atom; i < first_atom + atom_count; ++i) {
    members_[start_[cell_of_[i] + 1]++] = static_cast<std::uint32_t>(i);
  }
}

void cells::sort_owned(atoms& a) {
  cell_of_.resize(a.owned);
  for (std::size_t i = 0; i < a.owned; ++i) {
    cell_of_[i] = number({coordinate(0, a.position[0][i], 0, count_[0] - 1),
                          coordinate(1, a.position[1][i], 0, count_[1] - 1),
                          coordinate(2, a.position[2][i], 0, count_[2] - 1)});
  }
  list(0, owned_count_, 0, a.owned);

  const auto reorder = [this](auto& values, auto& scratch) {
    scratch.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scratch[i] = values[members_[i]];
    values.swap(scratch);
  };
  for (auto& p : a.position) reorder(p, reordered_);
  for (auto& v : a.velocity) reorder(v, reordered_);
  reorder(a.id, reordered_id_);
  for (std::uint32_t i = 0; i < a.owned; ++i) members_[i] = i;
}

void cells::list_ghosts(const atoms& a, const exchange& ghosts) {
  cell_of_.resize(a.total());
  for (unsigned through = 0; through < 3; ++through) {
    for (const side from : {minus, plus}) {
      // A ghost is beyond the face through which it came, wherever on the axes whose turn was before, and within the
      // sub-box on the axes whose turn comes later.
      int3 lowest{};
      int3 highest{};
      for (unsigned axis = 0; axis < 3; ++axis) {
        const int layer = axis < through ? 1 : 0;
        lowest[axis] = -layer;
        highest[axis] = count_[axis] - 1 + layer;
      }
      lowest[through] = highest[through] = from == minus ? -1 : count_[through];
      const auto [begin, end] = ghosts.ghosts(through, from);
      for (std::size_t i = begin; i < end; ++i) {
        cell_of_[i] = number({coordinate(0, a.position[0][i], lowest[0], highest[0]),
                              coordinate(1, a.position[1][i], lowest[1], highest[1]),
                              coordinate(2, a.position[2][i], lowest[2], highest[2])});
      }
    }
  }
  list(owned_count_, start_.size() - 1 - owned_count_, a.owned, a.total() - a.owned);
}

}  // namespace md
