// Packing and unpacking of faces; face.hpp says what they do.
#include "face.hpp"

namespace amr {
namespace {

// The two axes along a face, and on each the cells that are packed (numbers of the giving block) or filled.
struct span {
  int first, last;
};

int along(const face& f, int which) { return which == 0 ? (f.axis == 0 ? 1 : 0) : (f.axis == 2 ? 1 : 2); }

// 1 where the halo of this axis is there already, and needed.
int rim(const face& f, const layout& l, int which) { return l.points == 27 && along(f, which) < f.axis ? 1 : 0; }

// Cells as they are in the buffer: of the giving block where it is the coarser one, of the taking one where that is.
span in_buffer(const face& f, const layout& l, int which) {
  const int more = rim(f, l, which), half = l.cells / 2, begin = f.quarter[which] * half;
  switch (f.how) {
    case face::kind::to_finer: return {begin - more, begin + half - 1 + more};
    case face::kind::to_coarser:  // only the rims outside of the block; those inside are the other quarters
      return {begin - (f.quarter[which] == 0 ? more : 0), begin + half - 1 + (f.quarter[which] == 1 ? more : 0)};
    default: return {-more, l.cells - 1 + more};
  }
}

int length(const span& s) { return s.last - s.first + 1; }

// The plane of cells at the given place across the face, cell (0, 0) of it.
std::ptrdiff_t plane(const face& f, const layout& l, int place) { return l.index(0, 0, 0) + place * l.stride(f.axis); }

// Which of the finer block's cells make up cell `c` of the coarser one: two, or twice the one there is of a rim.
struct pair {
  std::ptrdiff_t first, second;
};
pair finer_cells(const face& f, const layout& l, int which, int c) {
  const int first = 2 * (c - f.quarter[which] * (l.cells / 2));
  if (c < 0) return {-1, -1};
  return {first, c == l.cells ? first : first + 1};
}

void gather(const double* __restrict from, std::ptrdiff_t stride, int count, double* __restrict to) {
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

void scatter(const double* __restrict from, int count, double* __restrict to, std::ptrdiff_t stride) {
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i * stride] = from[i];
}

// Averages of two rows of finer cells, each two pairs.
void gather_averages(const face& f, const layout& l, const double* __restrict row, const double* __restrict next,
                     std::ptrdiff_t stride, double* __restrict to) {
  const span us = in_buffer(f, l, 0);
  const auto average = [=](std::ptrdiff_t a, std::ptrdiff_t b) {
    return ((row[a * stride] + row[b * stride]) + (next[a * stride] + next[b * stride])) * 0.25;
  };
  int i = us.first;
  if (i < 0) {
    *to++ = average(-1, -1);
    ++i;
  }
  const std::ptrdiff_t half = l.cells / 2;
  for (std::ptrdiff_t k = 0; k < half; ++k) to[k] = average(2 * k, 2 * k + 1);
  if (us.last == l.cells) to[half] = average(l.cells, l.cells);
}

}  // namespace

std::size_t size_of(const face& f, const layout& l) {
  if (f.how == face::kind::wall) return 0;
  return static_cast<std::size_t>(length(in_buffer(f, l, 0)) * length(in_buffer(f, l, 1)));
}

void pack(const face& f, const block& from, const layout& l, const group& g, double* buffer) {
  const span us = in_buffer(f, l, 0), vs = in_buffer(f, l, 1);
  const std::ptrdiff_t u = l.stride(along(f, 0)), v = l.stride(along(f, 1));
  const std::ptrdiff_t start = plane(f, l, f.side == 0 ? l.cells - 1 : 0);
  for (int variable = g.first; variable < g.first + g.count; ++variable) {
    const double* const cells = from.cells.data() + variable * l.per_variable() + start;
    for (int j = vs.first; j <= vs.last; ++j, buffer += length(us)) {
      if (f.how == face::kind::to_coarser) {
        const pair rows = finer_cells(f, l, 1, j);
        gather_averages(f, l, cells + rows.first * v, cells + rows.second * v, u, buffer);
      } else {
        gather(cells + j * v + us.first * u, u, length(us), buffer);
      }
    }
  }
}

void unpack(const face& f, block& to, const layout& l, const group& g, const double* buffer) {
  const span us = in_buffer(f, l, 0), vs = in_buffer(f, l, 1);
  const std::ptrdiff_t u = l.stride(along(f, 0)), v = l.stride(along(f, 1));
  const std::ptrdiff_t halo = plane(f, l, f.side == 0 ? -1 : l.cells);
  const std::ptrdiff_t inward = f.side == 0 ? l.stride(f.axis) : -l.stride(f.axis);
  const int rim_u = rim(f, l, 0), rim_v = rim(f, l, 1), width = length(us);
  for (int variable = g.first; variable < g.first + g.count; ++variable) {
    double* const cells = to.cells.data() + variable * l.per_variable() + halo;
    if (f.how == face::kind::to_finer) {
      for (int j = -rim_v; j < l.cells + rim_v; ++j) {
        const double* const row = buffer + ((j + 2) / 2 - 1 + rim_v) * width + rim_u - 1;
        for (int i = -rim_u; i < l.cells + rim_u; ++i) cells[i * u + j * v] = row[(i + 2) / 2];
      }
      buffer += width * length(vs);
      continue;
    }
    for (int j = vs.first; j <= vs.last; ++j) {
      double* const row = cells + j * v + us.first * u;
      if (f.how == face::kind::same) {
        scatter(buffer, width, row, u);
      } else if (f.how == face::kind::to_coarser) {
        for (std::ptrdiff_t i = 0; i < width; ++i) row[i * u] = (row[i * u + inward] + buffer[i]) * 0.5;
      } else {
        for (std::ptrdiff_t i = 0; i < width; ++i) row[i * u] = row[i * u + inward];
      }
      if (f.how != face::kind::wall) buffer += width;
    }
  }
}

}  // namespace amr
