#include "stencil_grid.hpp"

#include <bit>
#include <cmath>

namespace windows {

rank_grid near_square(int ranks) {
  int x = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % x != 0) --x;
  return {x, ranks / x};
}

box box_of(int rank, rank_grid ranks, int n) {
  const int column = rank % ranks.x, row = rank / ranks.x;
  const auto begin = [n](int i, int of) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(i) / static_cast<std::size_t>(of);
  };
  box of;
  of.n = static_cast<std::size_t>(n);
  of.x0 = begin(column, ranks.x);
  of.nx = begin(column + 1, ranks.x) - of.x0;
  of.y0 = begin(row, ranks.y);
  of.ny = begin(row + 1, ranks.y) - of.y0;
  if (column > 0) of.neighbour[left] = rank - 1;
  if (column + 1 < ranks.x) of.neighbour[right] = rank + 1;
  if (row > 0) of.neighbour[up] = rank - ranks.x;
  if (row + 1 < ranks.y) of.neighbour[down] = rank + ranks.x;
  return of;
}

namespace {

std::size_t layer_size(const box& of) { return of.nx * of.ny + 2 * (of.nx + of.ny); }

}  // namespace

std::size_t part_size(const box& of) { return 2 * layer_size(of); }

std::size_t halo_offset(const box& of, int number, side s) {
  std::size_t at = static_cast<std::size_t>(number) * layer_size(of) + of.nx * of.ny;
  for (int before = 0; before < s; ++before) at += of.length(before);
  return at;
}

layer layer_of(std::span<double> part, const box& of, int number) {
  layer found;
  found.cells = part.data() + static_cast<std::size_t>(number) * layer_size(of);
  for (const side s : {left, right, up, down}) found.halo[s] = part.data() + halo_offset(of, number, s);
  return found;
}

line edge_of(const double* cells, const box& of, side s) {
  switch (s) {
    case left: return {cells, of.nx};
    case right: return {cells + of.nx - 1, of.nx};
    case up: return {cells, 1};
    case down: break;
  }
  return {cells + (of.ny - 1) * of.nx, 1};
}

void copy(line from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from.at[i * from.stride];
}

double initial(std::int64_t x, std::int64_t y, std::int64_t n) {
  if (x < 0 || y < 0 || x == n || y == n) return static_cast<double>((x + 2 * y + 3) & 15) / 16;
  return static_cast<double>((x * 7 + y * 13) & 31) / 32;
}

void fill(std::span<double> part, const box& of) {
  const auto n = static_cast<std::int64_t>(of.n);
  const auto x0 = static_cast<std::int64_t>(of.x0), y0 = static_cast<std::int64_t>(of.y0);
  const auto nx = static_cast<std::int64_t>(of.nx), ny = static_cast<std::int64_t>(of.ny);
  for (const int number : {0, 1}) {
    const layer into = layer_of(part, of, number);
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) into.cells[y * nx + x] = initial(x0 + x, y0 + y, n);
      into.halo[left][y] = initial(x0 - 1, y0 + y, n);
      into.halo[right][y] = initial(x0 + nx, y0 + y, n);
    }
    for (std::int64_t x = 0; x < nx; ++x) {
      into.halo[up][x] = initial(x0 + x, y0 - 1, n);
      into.halo[down][x] = initial(x0 + x, y0 + ny, n);
    }
  }
}

namespace {

void step_row(double* __restrict to, const double* row, const double* above, const double* below, std::size_t n,
              double before, double behind) {
  if (n == 1) {
    to[0] = 0.25 * (before + behind + above[0] + below[0]);
    return;
  }
  to[0] = 0.25 * (before + row[1] + above[0] + below[0]);
  for (std::size_t i = 1; i + 1 < n; ++i) to[i] = 0.25 * (row[i - 1] + row[i + 1] + above[i] + below[i]);
  to[n - 1] = 0.25 * (row[n - 2] + behind + above[n - 1] + below[n - 1]);
}

}  // namespace

void step(double* to, const double* from, const box& of, const line around[sides]) {
  for (std::size_t y = 0; y < of.ny; ++y) {
    const double* const row = from + y * of.nx;
    const double* const above = y == 0 ? around[up].at : row - of.nx;
    const double* const below = y + 1 == of.ny ? around[down].at : row + of.nx;
    step_row(to + y * of.nx, row, above, below, of.nx, around[left].at[y * around[left].stride],
             around[right].at[y * around[right].stride]);
  }
}

void add(digest& to, double cell, std::uint64_t place) {
  to.sum += static_cast<std::uint64_t>(std::llround(cell * 0x1p32));
  // Murmur3's finalizer: every bit of a cell and its place changes half of the bits.
  std::uint64_t hash = std::bit_cast<std::uint64_t>(cell) + (place + 1) * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
  to.bits += hash ^ (hash >> 33U);
}

digest digest_of(const double* cells, const box& of) {
  digest all;
  for (std::size_t y = 0; y < of.ny; ++y) {
    for (std::size_t x = 0; x < of.nx; ++x) add(all, cells[y * of.nx + x], (of.y0 + y) * of.n + of.x0 + x);
  }
  return all;
}

digest serial_digest(int n, int steps) {
  const auto width = static_cast<std::size_t>(n) + 2;
  std::vector<double> now(width * width);
  for (int y = -1; y <= n; ++y) {
    for (int x = -1; x <= n; ++x)
      now[static_cast<std::size_t>(y + 1) * width + static_cast<std::size_t>(x + 1)] = initial(x, y, n);
  }
  std::vector<double> next = now;
  for (int i = 0; i < steps; ++i) {
    for (std::size_t y = 1; y + 1 < width; ++y) {
      for (std::size_t x = 1; x + 1 < width; ++x) {
        const std::size_t at = y * width + x;
        next[at] = 0.25 * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
      }
    }
    now.swap(next);
  }
  digest all;
  for (std::size_t y = 1; y + 1 < width; ++y) {
    for (std::size_t x = 1; x + 1 < width; ++x) add(all, now[y * width + x], (y - 1) * (width - 2) + x - 1);
  }
  return all;
}

}  // namespace windows
