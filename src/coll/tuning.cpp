#include "coll/tuning.hpp"

#include <algorithm>
#include <array>

namespace pure::core {

namespace {

constexpr std::array<std::string_view, detail::collective_kinds> names = {
    "barrier",        "bcast",  "reduce",  "allreduce", "scan",    "exscan",
    "reduce_scatter", "gather", "scatter", "allgather", "alltoall"};

}  // namespace

std::string_view name_of(detail::collective kind) noexcept { return names[static_cast<std::size_t>(kind)]; }

bool collective_named(std::string_view name, detail::collective& found) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    found = static_cast<detail::collective>(i);
    return true;
  }
  return false;
}

tuning::tuning() {
  constexpr std::size_t KiB = 1024;
  using enum detail::collective;
  // What `pure bench tune` has found on a machine of two cores, and no more than that: 2 ranks on cores of their own, 4
  // and 8 ranks that share two. Elsewhere, 2 KiB: on more cores, each rank would read all that all others have copied.
  for (const auto kind : {allreduce, scan, exscan, reduce_scatter})
    rows_.push_back({kind, 2, false, {.copied_bytes = 4 * KiB}});
  rows_.push_back({scatter, 2, false, {.piece_bytes = 16 * KiB}});
  for (const auto kind : {bcast, reduce, scatter}) rows_.push_back({kind, 8, true, {.copied_bytes = 16 * KiB}});
  for (const auto kind : {allgather, alltoall}) rows_.push_back({kind, 8, true, {.copied_bytes = 8 * KiB}});
  for (const auto kind : {scan, exscan}) rows_.push_back({kind, 8, true, {.copied_bytes = 4 * KiB}});

  for (const bool shared_cores : {false, true}) {
    for (std::size_t i = 0; i < detail::collective_kinds; ++i) {
      const auto kind = static_cast<detail::collective>(i);
      algorithm_choice use;
      rows_.push_back({kind, 16, shared_cores, use});
      if (has_tree(kind)) use.tree_radix = 8;
      rows_.push_back({kind, any_ranks, shared_cores, use});
    }
  }
}

tuning::tuning(const std::vector<tuning_row>& first) : tuning() {
  rows_.insert(rows_.begin(), first.begin(), first.end());
}

std::vector<tuning_row> tuning::rows_in_force() const {
  std::vector<tuning_row> found;
  for (const tuning_row& row : rows_) {
    const bool is_hidden = std::any_of(found.begin(), found.end(), [&](const tuning_row& before) {
      return before.kind == row.kind && before.shared_cores == row.shared_cores && before.most_ranks >= row.most_ranks;
    });
    if (!is_hidden) found.push_back(row);
  }
  std::stable_sort(found.begin(), found.end(), [](const tuning_row& a, const tuning_row& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.shared_cores < b.shared_cores;
  });
  return found;
}

const algorithm_choice& tuning::choose(detail::collective kind, int ranks, bool shared_cores) const noexcept {
  for (const tuning_row& row : rows_) {
    if (row.kind == kind && row.shared_cores == shared_cores && ranks <= row.most_ranks) return row.use;
  }
  return rows_.front().use;  // never: every table ends with rows for any number of ranks
}

}  // namespace pure::core
