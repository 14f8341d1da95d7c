// The loops over a rank's atoms, row by row: a row is the owned cells that differ in x alone. Rows are what ranks
// share.
//
// A pair of atoms is listed once and changes both, so not all rows can be done at the same time. The owned partners of
// a row's atoms (pairs.hpp) are in the same row and in the four after it that touch it: next in y, and the three next
// in z. Rows that are three apart in y, or two in z, have none in common. So rows have six colours, one after the
// other, and every sum over partners is taken in an order in which timing has no say.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cells.hpp"
#include "loops.hpp"

namespace md {

/// Owned cells [first_cell, last_cell) with the owned atoms [first, last).
struct row {
  std::size_t number;
  std::size_t first_cell, last_cell;
  std::size_t first, last;
};

class rows {
 public:
  rows(const cells& c, const loops& l);

  [[nodiscard]] std::size_t count() const { return in_order_.size(); }

  /// body(row) for every row, in any order, several at the same time.
  template <class Body>
  void for_each(const Body& body) const {
    for_these(in_order_, body);
  }
  /// The same, but rows done at the same time have no owned partner in common.
  template <class Body>
  void for_each_apart(const Body& body) const {
    for (const auto& colour : by_colour_) for_these(colour, body);
  }

  /// The same, and the sum of what the body returned, added up row by row.
  template <class Body>
  [[nodiscard]] double sum(const Body& body) {
    for_each([&](const row& r) { sums_[r.number] = body(r); });
    return total();
  }
  template <class Body>
  [[nodiscard]] double sum_apart(const Body& body) {
    for_each_apart([&](const row& r) { sums_[r.number] = body(r); });
    return total();
  }

 private:
  using numbers = std::vector<std::size_t>;

  template <class Body>
  void for_these(const numbers& which, const Body& body) const {
    loops_.for_each(which.size(), [&](std::size_t k) { body(at(which[k])); });
  }
  [[nodiscard]] row at(std::size_t number) const;
  [[nodiscard]] double total() const { return std::accumulate(sums_.begin(), sums_.end(), 0.0); }

  const cells& cells_;
  const loops& loops_;
  numbers in_order_;
  std::array<numbers, 6> by_colour_;
  std::vector<double> sums_;
};

}  // namespace md
