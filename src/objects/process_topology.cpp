#include "objects/process_topology.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "match/status.hpp"

namespace pure::core {

std::vector<int> cartesian_grid::coords_of(int rank) const {
  std::vector<int> coords(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) coords[d] = rank % dims[d];
  return coords;
}

int cartesian_grid::rank_at(std::span<const int> coords) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int at = coords[d];
    if (at < 0 || at >= dims[d]) {
      if (!is_periodic[d]) return proc_null;
      at = (at % dims[d] + dims[d]) % dims[d];
    }
    rank = rank * dims[d] + at;
  }
  return rank;
}

int cartesian_grid::shifted(int rank, std::size_t dimension, std::int64_t by) const {
  std::vector<int> coords = coords_of(rank);
  const std::int64_t at = std::int64_t{coords[dimension]} + by;
  const int size = dims[dimension];
  if (at < 0 || at >= size) {
    if (!is_periodic[dimension]) return proc_null;
    coords[dimension] = static_cast<int>((at % size + size) % size);
  } else {
    coords[dimension] = static_cast<int>(at);
  }
  return rank_at(coords);
}

std::span<const int> known_graph::neighbours_of(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  const int first = rank == 0 ? 0 : index[r - 1];
  return std::span(edges).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(index[r] - first));
}

namespace {

std::vector<neighbour> with_one_tag(std::span<const int> ranks) {
  std::vector<neighbour> all;
  for (const int each : ranks) all.push_back({each, 0});
  return all;
}

/// What goes down in a dimension comes from above there: both have the tag of that direction.
std::vector<neighbour> in_grid(const cartesian_grid& grid, int rank, bool are_sources) {
  std::vector<neighbour> all;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const int down = static_cast<int>(2 * d), up = down + 1;
    all.push_back({grid.shifted(rank, d, -1), are_sources ? up : down});
    all.push_back({grid.shifted(rank, d, 1), are_sources ? down : up});
  }
  return all;
}

}  // namespace

std::vector<neighbour> process_topology::sources_of(int rank) const {
  switch (kind_) {
    case kind::cartesian: return in_grid(grid_, rank, true);
    case kind::known_graph: return with_one_tag(graph_.neighbours_of(rank));
    default: return with_one_tag(distributed_.sources);
  }
}

std::vector<neighbour> process_topology::destinations_of(int rank) const {
  switch (kind_) {
    case kind::cartesian: return in_grid(grid_, rank, false);
    case kind::known_graph: return with_one_tag(graph_.neighbours_of(rank));
    default: return with_one_tag(distributed_.destinations);
  }
}

namespace {

/// Finds the factors of a number that are closest to each other: the difference of the largest and the smallest is the
/// least; among these the smallest is the largest, and then their sum is the least.
class closest_factors {
 public:
  closest_factors(int number, std::size_t factors) : now_(factors) {
    for (int each = 1; each <= number / each; ++each) {
      if (number % each != 0) continue;
      divisors_.push_back(each);
      if (each != number / each) divisors_.push_back(number / each);
    }
    std::sort(divisors_.begin(), divisors_.end());
    for (const int largest : divisors_) {
      if (!can_hold(number, factors, largest)) continue;
      // The smallest is no larger than the number's root: from some largest one on, all are farther apart.
      if (!best_.empty() && can_hold(number, factors, largest - spread_of(best_) - 1)) break;
      now_[0] = largest;
      choose(number / largest, 1);
    }
  }
  /// The largest first.
  [[nodiscard]] const std::vector<int>& found() const noexcept { return best_; }

 private:
  void choose(int left, std::size_t next) {
    if (next == now_.size()) {
      if (left == 1 && (best_.empty() || is_closer())) best_ = now_;
      return;
    }
    for (auto each = std::upper_bound(divisors_.begin(), divisors_.end(), now_[next - 1]);
         each-- != divisors_.begin();) {
      if (!best_.empty() && now_[0] - *each > spread_of(best_)) break;  // the rest is smaller
      if (left % *each != 0) continue;
      if (!can_hold(left / *each, now_.size() - next - 1, *each)) break;  // the factors that follow are no larger
      now_[next] = *each;
      choose(left / *each, next + 1);
    }
  }
  [[nodiscard]] static int spread_of(const std::vector<int>& factors) noexcept {
    return factors.front() - factors.back();
  }
  [[nodiscard]] bool is_closer() const noexcept {
    const int spread = spread_of(now_), best = spread_of(best_);
    if (spread != best) return spread < best;
    if (now_.back() != best_.back()) return now_.back() > best_.back();
    const auto sum = [](const std::vector<int>& all) {
      return std::accumulate(all.begin(), all.end(), std::int64_t{0});
    };
    return sum(now_) < sum(best_);
  }
  [[nodiscard]] static bool can_hold(int number, std::size_t factors, int most) noexcept {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < factors && product < number; ++i) product *= most;
    return product >= number;
  }

  std::vector<int> divisors_, now_, best_;
};

}  // namespace

bool fill_dims(int count, std::span<int> dims) {
  std::int64_t given = 1;
  std::size_t free = 0;
  for (const int each : dims) {
    if (each == 0) {
      ++free;
    } else if ((given *= each) > count) {
      return false;
    }
  }
  if (count % given != 0 || (free == 0 && given != count)) return false;
  if (free == 0) return true;
  const std::vector<int> found = closest_factors(static_cast<int>(count / given), free).found();
  std::size_t next = 0;
  for (int& each : dims) {
    if (each == 0) each = found[next++];
  }
  return true;
}

}  // namespace pure::core
