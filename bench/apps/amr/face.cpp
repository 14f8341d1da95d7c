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
void finer_cells(const face& f, const layout& l, int which, int c, std::ptrdiff_t pair[2]) {
  const int first = 2 * (c - f.quarter[which] * (l.cells / 2));
  pair[0] = c < 0 ? -1 : first;
  pair[1] = c < 0 ? -1 : c == l.cells ? first : first + 1;
}

}  // namespace

std::size_t size_of(const face& f, const layout& l) {
  if (f.how == face::kind::wall) return 0;
  return static_cast<std::size_t>(length(in_buffer(f, l, 0)) * length(in_buffer(f, l, 1)) * l.variables);
}

void pack(const face& f, const block& from, const layout& l, double* buffer) {
  const span us = in_buffer(f, l, 0), vs = in_buffer(f, l, 1);
  const std::ptrdiff_t u = l.stride(along(f, 0)), v = l.stride(along(f, 1));
  const std::ptrdiff_t start = plane(f, l, f.side == 0 ? l.cells - 1 : 0);
  for (int variable = 0; variable < l.variables; ++variable) {
    const double* const cells = from.cells.data() + variable * l.per_variable() + start;
    for (int j = vs.first; j <= vs.last; ++j) {
      if (f.how == face::kind::to_coarser) {
        std::ptrdiff_t js[2], is[2];
        finer_cells(f, l, 1, j, js);
        for (int i = us.first; i <= us.last; ++i) {
          finer_cells(f, l, 0, i, is);
          *buffer++ = ((cells[is[0] * u + js[0] * v] + cells[is[1] * u + js[0] * v]) +
                       (cells[is[0] * u + js[1] * v] + cells[is[1] * u + js[1] * v])) *
                      0.25;
        }
      } else {
        const double* const row = cells + j * v;
        for (int i = us.first; i <= us.last; ++i) *buffer++ = row[i * u];
      }
    }
  }
}

void unpack(const face& f, block& to, const layout& l, const double* buffer) {
  const span us = in_buffer(f, l, 0), vs = in_buffer(f, l, 1);
  const std::ptrdiff_t u = l.stride(along(f, 0)), v = l.stride(along(f, 1));
  const std::ptrdiff_t halo = plane(f, l, f.side == 0 ? -1 : l.cells);
  const std::ptrdiff_t inward = f.side == 0 ? l.stride(f.axis) : -l.stride(f.axis);
  const int rim_u = rim(f, l, 0), rim_v = rim(f, l, 1), width = length(us);
  for (int variable = 0; variable < l.variables; ++variable) {
    double* const cells = to.cells.data() + variable * l.per_variable() + halo;
    if (f.how == face::kind::to_finer) {
      for (int j = -rim_v; j < l.cells + rim_v; ++j) {
        const double* const row = buffer + ((j + 2) / 2 - 1 + rim_v) * width;
        for (int i = -rim_u; i < l.cells + rim_u; ++i) cells[i * u + j * v] = row[(i + 2) / 2 - 1 + rim_u];
      }
      buffer += width * length(vs);
      continue;
    }
    for (int j = vs.first; j <= vs.last; ++j) {
      double* const row = cells + j * v;
      switch (f.how) {
        case face::kind::same:
          for (int i = us.first; i <= us.last; ++i) row[i * u] = *buffer++;
          break;
        case face::kind::to_coarser:
          for (int i = us.first; i <= us.last; ++i) row[i * u] = (row[i * u + inward] + *buffer++) * 0.5;
          break;
        default:  // a wall
          for (int i = us.first; i <= us.last; ++i) row[i * u] = row[i * u + inward];
      }
    }
  }
}

}  // namespace amr
