// Every pair of atoms closer than the cutoff, once: the list that the potentials run over.
//
// A pair of two owned atoms appears with one of them; a pair of an owned atom and a ghost appears with the owned one
// (and again, mirrored, on the rank that owns the other). The list is made anew in every step, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms.hpp"
#include "cells.hpp"
#include "rows.hpp"

namespace md {

class pair_list {
 public:
  void find(const atoms& a, const cells& c, const rows& all, double cutoff);

  using indices = std::span<const std::uint32_t>;
  /// The partners of owned atom i.
  [[nodiscard]] indices owned_partners(std::size_t i) const { return slice(i, of_atom_[i].owned, of_atom_[i].ghosts); }
  [[nodiscard]] indices ghost_partners(std::size_t i) const { return slice(i, of_atom_[i].ghosts, of_atom_[i].end); }

 private:
  // Where an atom's partners are in those of its row.
  struct places {
    std::uint32_t row;
    std::uint32_t owned, ghosts, end;
  };
  using partners = std::vector<std::uint32_t>;

  [[nodiscard]] indices slice(std::size_t i, std::uint32_t begin, std::uint32_t end) const {
    return indices(of_row_[of_atom_[i].row]).subspan(begin, end - begin);
  }
  void find_in_row(const atoms& a, const cells& c, const row& r, double cutoff);

  std::vector<places> of_atom_;
  std::vector<partners> of_row_;
};

}  // namespace md
