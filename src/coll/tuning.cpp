#include "coll/tuning.hpp"

#include <array>
#include <limits>

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
  constexpr int any_ranks = std::numeric_limits<int>::max();
  using detail::collective;
  for (const bool shared_cores : {false, true}) {
    for (std::size_t i = 0; i < detail::collective_kinds; ++i) {
      const auto kind = static_cast<collective>(i);
      tactics use;
      rows_.push_back({kind, 16, shared_cores, use});
      const bool has_tree = kind == collective::barrier || kind == collective::bcast || kind == collective::reduce ||
                            kind == collective::allreduce;
      if (has_tree) use.tree_radix = 8;
      rows_.push_back({kind, any_ranks, shared_cores, use});
    }
  }
}

const tactics& tuning::choose(detail::collective kind, int ranks, bool shared_cores) const noexcept {
  for (const tuning_row& row : rows_) {
    if (row.kind == kind && row.shared_cores == shared_cores && ranks <= row.most_ranks) return row.use;
  }
  return rows_.front().use;  // never: every table ends with rows for any number of ranks
}

}  // namespace pure::core
