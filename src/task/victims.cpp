#include "task/victims.hpp"

#include <algorithm>

#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// 0 on the same core, 3 on another socket; 3 also where a place is not known, or is wider than that.
int distance(const rank_place* a, const rank_place* b) noexcept {
  if (a == nullptr || b == nullptr) return 3;
  const auto same = [](int x, int y) { return x >= 0 && x == y; };
  if (same(a->core, b->core)) return 0;
  if (same(a->numa, b->numa)) return 1;
  return same(a->package, b->package) ? 2 : 3;
}

}  // namespace

victims::victims(const rank_context& thief)
    : is_random_(thief.owner().values().steal_from == "random"),
      is_sticky_(thief.owner().values().steal_from == "sticky"),
      random_state_(static_cast<std::uint32_t>(thief.index()) * 2'654'435'761U + 1) {
  const job& all = thief.owner();
  const int ranks = all.ranks_here();
  order_.reserve(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) order_.push_back((thief.index() + i) % ranks);
  if (is_random_ || is_sticky_) return;
  std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
    const rank_place* const here = all.place_of(thief);
    return distance(here, all.place_of(all.worker(a))) < distance(here, all.place_of(all.worker(b)));
  });
}

int victims::next_random() noexcept {  // xorshift (Marsaglia, 2003)
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 17;
  random_state_ ^= random_state_ << 5;
  return static_cast<int>(random_state_ % static_cast<std::uint32_t>(count()));
}

}  // namespace pure::core
