// Link cells: the sub-box cut into cells at least as wide as the cutoff, with one layer of ghost cells around them, so
// that whatever is within the cutoff of an atom is in its cell or in one of the 26 around it.
//
// The cells of the sub-box are numbered first, the ghost cells after them; owned atoms are in the former and ghosts in
// the latter, whatever rounding makes of their coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms.hpp"
#include "exchange.hpp"
#include "grid.hpp"

namespace md {

class cells {
 public:
  cells(const grid& g, double cutoff);

  /// Reorders the owned atoms cell by cell; there must be no ghosts.
  void sort_owned(atoms& a);
  /// Lists the ghosts of every ghost cell.
  void list_ghosts(const atoms& a, const exchange& ghosts);

  /// Cells of the sub-box along each axis.
  [[nodiscard]] const int3& counts() const { return count_; }
  /// Cells of the sub-box: [0, owned_count()), x running fastest.
  [[nodiscard]] std::size_t owned_count() const { return owned_count_; }
  /// The cells around an owned cell whose pairs with it are to be counted there: those with a higher number, which
  /// includes every ghost cell.
  [[nodiscard]] std::span<const std::uint32_t> higher_neighbours(std::size_t cell) const;
  /// The owned atoms of the owned cells [c, d) are [first_atom(c), first_atom(d)).
  [[nodiscard]] std::size_t first_atom(std::size_t owned_cell) const { return start_[owned_cell]; }
  /// The atoms of a cell, by index.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t cell) const;

 private:
  [[nodiscard]] std::uint32_t number(const std::array<int, 3>& at) const;
  [[nodiscard]] int coordinate(unsigned axis, double x, int lowest, int highest) const;
  void list(std::size_t first_cell, std::size_t cell_count, std::size_t first_atom, std::size_t atom_count);

  vec3 low_;
  vec3 per_width_;  // cells per angstrom
  int3 count_;      // cells of the sub-box on each axis
  std::size_t owned_count_;
  std::vector<std::uint32_t> number_;      // of the cell at (x, y, z), ghost layer included
  std::vector<std::uint32_t> neighbours_;  // those of cell c are [first_neighbour_[c], first_neighbour_[c + 1])
  std::vector<std::uint32_t> first_neighbour_;
  std::vector<std::uint32_t> start_;  // members of cell c are members_[start_[c] .. start_[c + 1])
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> cell_of_;  // of each atom
  std::vector<double> reordered_;
  std::vector<std::int64_t> reordered_id_;
};

}  // namespace md
