#include "cg_matrix.hpp"

#include <algorithm>

namespace windows {

namespace {

std::size_t own_rows(const team& ranks, const mesh& points) {
  return static_cast<std::size_t>(share(points.nz, ranks.rank(), ranks.size()).size()) *
         static_cast<std::size_t>(points.plane());
}

}  // namespace

matrix::matrix(team& ranks, mesh points, double diagonal)
    : points_(points),
      diagonal_(diagonal),
      values_window_(ranks, own_rows(ranks, points) * most_entries, placement::contiguous, "values"),
      columns_window_(ranks, own_rows(ranks, points) * most_entries, placement::contiguous, "columns"),
      entries_window_(ranks, own_rows(ranks, points), placement::contiguous, "entries"),
      values_(values_window_.first()),
      columns_(columns_window_.first()),
      entries_(entries_window_.first()) {
  const std::span<double> values = values_window_.part(ranks.rank());
  const std::span<int> columns = columns_window_.part(ranks.rank());
  const std::span<int> entries = entries_window_.part(ranks.rank());
  const range planes = share(points.nz, ranks.rank(), ranks.size());
  std::size_t row = 0;
  for (int z = planes.begin; z < planes.end; ++z) {
    for (int y = 0; y < points.ny; ++y) {
      for (int x = 0; x < points.nx; ++x, ++row) {
        std::size_t at = row * most_entries;
        for (int k = std::max(z - 1, 0); k <= std::min(z + 1, points.nz - 1); ++k) {
          for (int j = std::max(y - 1, 0); j <= std::min(y + 1, points.ny - 1); ++j) {
            for (int i = std::max(x - 1, 0); i <= std::min(x + 1, points.nx - 1); ++i, ++at) {
              columns[at] = points.row(j, k) + i;
              values[at] = i == x && j == y && k == z ? diagonal : -1.0;
            }
          }
        }
        entries[row] = static_cast<int>(at - row * most_entries);
      }
    }
  }
  values_window_.fence();
  columns_window_.fence();
  entries_window_.fence();
}

int matrix::level(int row, const int* levels_below) const {
  int found = 0;
  for (int i = 0; i < entries_[row]; ++i) {
    const int column = columns_[static_cast<std::size_t>(row) * most_entries + static_cast<std::size_t>(i)];
    if (column < row) found = std::max(found, levels_below[column] + 1);
  }
  return found;
}

}  // namespace windows
