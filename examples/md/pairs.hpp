// Every pair of atoms closer than the cutoff, once: the list that the potentials run over.
//
// A pair of two owned atoms appears with one of them; a pair of an owned atom and a ghost appears with the owned one
// (and again, mirrored, on the rank that owns the other). The list is made anew in every step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms.hpp"
#include "cells.hpp"

namespace md {

class pair_list {
 public:
  void find(const atoms& a, const cells& c, double cutoff);

  using indices = std::span<const std::uint32_t>;
  /// The partners of owned atom i: the owned ones, the ghosts, and all.
  [[nodiscard]] indices owned_partners(std::size_t i) const { return slice(of_atom_[i].owned, of_atom_[i].ghosts); }
  [[nodiscard]] indices ghost_partners(std::size_t i) const { return slice(of_atom_[i].ghosts, of_atom_[i].end); }
  [[nodiscard]] indices partners(std::size_t i) const { return slice(of_atom_[i].owned, of_atom_[i].end); }

 private:
  // Where an atom's partners are in partners_.
  struct places {
    std::size_t owned, ghosts, end;
  };

  [[nodiscard]] indices slice(std::size_t begin, std::size_t end) const {
    return {partners_.data() + begin, partners_.data() + end};
  }
  void gather(const atoms& a, indices members);

  std::vector<places> of_atom_;
  std::vector<std::uint32_t> partners_;
  // The atoms of a cell and of its higher neighbours, side by side.
  std::vector<double> x_, y_, z_, distance2_;
  std::vector<std::uint32_t> index_;  // owned atoms first
};

}  // namespace md
