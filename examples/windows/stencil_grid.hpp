// The grid of the stencil: who has which cells, where they lie in a rank's part of the window, and one step of them.
//
// A part holds two layers, which take turns: a step reads one and writes the other. A layer is the cells of the rank's
// box, row by row, and four halos beside it, which are arrays, also those of columns. Cells beyond the grid are fixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace windows {

/// The sides of a box; also, as seen from the receiver, the numbers of notifications.
enum side : int { left, right, up, down };
inline constexpr int sides = 4;
constexpr side opposite(side s) { return static_cast<side>(static_cast<int>(s) ^ 1); }

/// Ranks along x and y.
struct rank_grid {
  int x = 1, y = 1;
};
/// As square as possible, and no more along x than along y.
rank_grid near_square(int ranks);

/// The cells of a rank: nx times ny of them, from (x0, y0) on, in a grid of n times n.
struct box {
  std::size_t n = 0, x0 = 0, y0 = 0, nx = 0, ny = 0;
  int neighbour[sides] = {-1, -1, -1, -1};  // ranks; -1: the edge of the grid

  [[nodiscard]] std::size_t length(int s) const { return s == left || s == right ? ny : nx; }
};
box box_of(int rank, rank_grid ranks, int n);

/// How many doubles a part has, and where in it a halo of layer 0 or 1 begins.
std::size_t part_size(const box& of);
std::size_t halo_offset(const box& of, int layer, side s);

/// Cells beside each other, or above each other.
struct line {
  const double* at = nullptr;
  std::size_t stride = 1;
};

/// One layer of a part.
struct layer {
  double* cells = nullptr;
  double* halo[sides] = {};
};
layer layer_of(std::span<double> part, const box& of, int number);
/// The outermost cells of a box, on that side.
line edge_of(const double* cells, const box& of, side s);
void copy(line from, std::span<double> to);

/// The state before the first step; of fixed cells (x or y is -1 or n) the state for ever.
double initial(std::int64_t x, std::int64_t y, std::int64_t n);
void fill(std::span<double> part, const box& of);

/// to = the mean of each cell's four neighbours; around[s] are the cells beyond that side of the box.
void step(double* to, const double* from, const box& of, const line around[sides]);

/// What a grid holds, for comparisons: neither depends on the order in which cells are added.
struct digest {
  std::uint64_t sum = 0;   ///< of the cells, each rounded to 2^-32
  std::uint64_t bits = 0;  ///< of a hash of each cell's bits and place

  [[nodiscard]] double checksum() const { return static_cast<double>(sum) * 0x1p-32; }
  bool operator==(const digest&) const = default;
};
void add(digest& to, double cell, std::uint64_t place);
digest digest_of(const double* cells, const box& of);

/// The digest after some steps, computed by one rank over the whole grid, with loops of its own.
digest serial_digest(int n, int steps);

}  // namespace windows
