// Stencils, splitting, merging and check sums of one block; block.hpp says what they promise.
#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace amr {
namespace {

// The same plane is read and written: what it was stays in `here`, and the plane before it in `below`.
struct old_planes {
  const double* below;
  const double* here;
  const double* above;
};

void sweep_row_7(double* __restrict to, const old_planes& from, std::ptrdiff_t row, const layout& l) {
  const double* __restrict below = from.below + row;
  const double* __restrict here = from.here + row;
  const double* __restrict above = from.above + row;
  const std::ptrdiff_t edge = l.edge();
  for (std::ptrdiff_t x = 0; x < l.cells; ++x) {
    to[x] = (below[x] + here[x - edge] + here[x - 1] + here[x] + here[x + 1] + here[x + edge] + above[x]) * (1.0 / 7);
  }
}

// Columns of nine first: each is a part of three cells.
void sweep_row_27(double* __restrict to, const old_planes& from, std::ptrdiff_t row, const layout& l,
                  double* __restrict columns) {
  const double* __restrict below = from.below + row - 1;
  const double* __restrict here = from.here + row - 1;
  const double* __restrict above = from.above + row - 1;
  const std::ptrdiff_t edge = l.edge();
  for (std::ptrdiff_t x = 0; x < edge; ++x) {
    columns[x] = (below[x - edge] + below[x] + below[x + edge]) + (here[x - edge] + here[x] + here[x + edge]) +
                 (above[x - edge] + above[x] + above[x + edge]);
  }
  for (std::ptrdiff_t x = 0; x < l.cells; ++x) to[x] = (columns[x] + columns[x + 1] + columns[x + 2]) * (1.0 / 27);
}

void sweep_once(double* cells, const layout& l, std::vector<double>& scratch) {
  const std::ptrdiff_t plane = l.edge() * l.edge();
  double* below = scratch.data();
  double* here = below + plane;
  double* const columns = here + plane;
  std::copy_n(cells, plane, below);
  for (int z = 0; z < l.cells; ++z) {
    double* const old = cells + plane * (z + 1);
    std::copy_n(old, plane, here);
    const old_planes from{below, here, old + plane};
    for (int y = 0; y < l.cells; ++y) {
      const std::ptrdiff_t row = l.edge() * (y + 1) + 1;
      if (l.points == 7) {
        sweep_row_7(old + row, from, row, l);
      } else {
        sweep_row_27(old + row, from, row, l, columns);
      }
    }
    std::swap(below, here);
  }
}

void close_walls(double* cells, const layout& l) {
  for (int axis = 0; axis < 3; ++axis) {
    // Axis by axis, each with the halo of those before it: so edges and corners are filled, too.
    const std::ptrdiff_t across = l.stride(axis), u = l.stride(axis == 0 ? 1 : 0), v = l.stride(axis == 2 ? 1 : 2);
    for (std::ptrdiff_t j = 0; j < l.edge(); ++j) {
      for (std::ptrdiff_t i = 0; i < l.edge(); ++i) {
        double* const low = cells + i * u + j * v;
        low[0] = low[across];
        low[across * (l.cells + 1)] = low[across * l.cells];
      }
    }
  }
}

}  // namespace

void set_start_values(block& b, const layout& l) {
  b.cells.assign(l.doubles(), 0.0);
  for (int variable = 0; variable < l.variables; ++variable) {
    double* const cells = b.cells.data() + variable * l.per_variable();
    const std::uint64_t seed = mixed(b.key + mixed(static_cast<std::uint64_t>(variable)));
    std::uint64_t number = 0;
    for (int z = 0; z < l.cells; ++z) {
      for (int y = 0; y < l.cells; ++y) {
        for (int x = 0; x < l.cells; ++x) {
          cells[l.index(x, y, z)] = static_cast<double>(mixed(seed + number++) >> 11) * 0x1p-53;
        }
      }
    }
  }
}

void sweep(block& b, int variable, const layout& l, int times) {
  double* const cells = b.cells.data() + variable * l.per_variable();
  std::vector<double> scratch(static_cast<std::size_t>(2 * l.edge() * l.edge() + l.edge()));
  for (int time = 0; time < times; ++time) {
    if (time > 0) close_walls(cells, l);
    sweep_once(cells, l, scratch);
  }
}

block split(const block& parent, int octant, const layout& l) {
  block child;
  child.key = key_of(child_of(id_of(parent.key), octant));
  child.touched = parent.touched;
  if (parent.cells.empty()) return child;
  child.cells.assign(l.doubles(), 0.0);
  const int half = l.cells / 2;
  const int x0 = (octant & 1) * half, y0 = (octant >> 1 & 1) * half, z0 = (octant >> 2) * half;
  for (int variable = 0; variable < l.variables; ++variable) {
    const double* const from = parent.cells.data() + variable * l.per_variable();
    double* const to = child.cells.data() + variable * l.per_variable();
    for (int z = 0; z < l.cells; ++z) {
      for (int y = 0; y < l.cells; ++y) {
        for (int x = 0; x < l.cells; ++x) to[l.index(x, y, z)] = from[l.index(x0 + x / 2, y0 + y / 2, z0 + z / 2)];
      }
    }
  }
  return child;
}

void merge(block& parent, const block& child, const layout& l) {
  if (child.cells.empty()) return;
  parent.cells.resize(l.doubles());
  const int octant = octant_of(id_of(child.key));
  const int half = l.cells / 2;
  const int x0 = (octant & 1) * half, y0 = (octant >> 1 & 1) * half, z0 = (octant >> 2) * half;
  const std::ptrdiff_t up = l.stride(1), over = l.stride(2);
  for (int variable = 0; variable < l.variables; ++variable) {
    const double* const from = child.cells.data() + variable * l.per_variable();
    double* const to = parent.cells.data() + variable * l.per_variable();
    for (int z = 0; z < half; ++z) {
      for (int y = 0; y < half; ++y) {
        for (int x = 0; x < half; ++x) {
          const double* const c = from + l.index(2 * x, 2 * y, 2 * z);
          const double near = (c[0] + c[1]) + (c[up] + c[up + 1]);
          const double far = (c[over] + c[over + 1]) + (c[over + up] + c[over + up + 1]);
          to[l.index(x0 + x, y0 + y, z0 + z)] = (near + far) * 0.125;
        }
      }
    }
  }
}

block_sums sums_of(const block& b, int variable, const layout& l, double scale) {
  const double* const cells = b.cells.data() + variable * l.per_variable();
  const std::uint64_t base = mixed(b.key + static_cast<std::uint64_t>(variable));
  double sum = 0, squares = 0;
  block_sums result;
  for (int z = 0; z < l.cells; ++z) {
    for (int y = 0; y < l.cells; ++y) {
      for (int x = 0; x < l.cells; ++x) {
        const std::ptrdiff_t i = l.index(x, y, z);
        std::uint64_t bits;
        std::memcpy(&bits, &cells[i], sizeof bits);
        result.bits += mixed(bits ^ (base + static_cast<std::uint64_t>(i)));
        sum += cells[i];
        squares += cells[i] * cells[i];
      }
    }
  }
  const double volume = std::ldexp(scale, -3 * id_of(b.key).level) / (1.0 * l.cells * l.cells * l.cells);
  result.mean = std::llround(sum * volume);
  result.mean_square = std::llround(squares * volume);
  return result;
}

}  // namespace amr
