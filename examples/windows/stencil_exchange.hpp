// The five ways to get at the neighbours' cells, between one step and the next.
//
// exchange(layer) is called by all ranks before each step; behind it around(layer) may be read until the step's end.
// All rely on the two layers: whoever is one step ahead writes the layer that its neighbour, still in the step before,
// does not read; nobody gets two steps ahead, for each step waits for all neighbours, or for all ranks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stencil_grid.hpp"
#include "team.hpp"

namespace windows {

class halo_exchange {
 public:
  halo_exchange(team& ranks, rank_grid shape, int n);
  virtual ~halo_exchange() = default;
  halo_exchange(const halo_exchange&) = delete;
  halo_exchange& operator=(const halo_exchange&) = delete;

  [[nodiscard]] const box& mine() const { return mine_; }
  [[nodiscard]] layer own(int number) { return layer_of(part(), mine_, number); }

  virtual void exchange(int number) = 0;
  /// The cells beyond each side of the box.
  virtual void around(int number, line beyond[sides]);

 protected:
  virtual std::span<double> part() = 0;
  [[nodiscard]] team& ranks() { return ranks_; }
  [[nodiscard]] const box& neighbour(side s) const { return neighbours_[s]; }
  [[nodiscard]] bool has(side s) const { return mine_.neighbour[s] >= 0; }
  /// This rank's edge on that side, in a row.
  std::span<const double> packed_edge(int number, side s);

 private:
  team& ranks_;
  box mine_;
  box neighbours_[sides];
  std::vector<double> packed_[sides];
};

/// mode: a word of stencil_options::modes. By all ranks together. `where` counts for windows only.
std::unique_ptr<halo_exchange> make_exchange(const std::string& mode, team& ranks, rank_grid shape, int n,
                                             placement where);

}  // namespace windows
