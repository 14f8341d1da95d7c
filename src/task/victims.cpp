#include "task/victims.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

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

victims_by_distance::victims_by_distance(const job& of) {
  if (of.values().steal_from != "near") return;
  std::vector<int> numbers(static_cast<std::size_t>(of.ranks_here()));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::map<std::tuple<int, int, int>, int> seen;  // a place, and its view
  for (int worker = 0; worker < of.workers(); ++worker) {
    const rank_place* const here = of.place_of(of.worker(worker));
    const auto place = here == nullptr ? std::tuple(-1, -1, -1) : std::tuple(here->core, here->numa, here->package);
    const auto [found, is_new] = seen.try_emplace(place, static_cast<int>(views_.size()));
    view_of_worker_.push_back(found->second);
    if (!is_new) continue;
    view& made = views_.emplace_back();
    for (int far = 0; far < distances; ++far) {
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(made.order),
                   [&](int rank) { return distance(here, of.place_of(of.worker(rank))) == far; });
      made.ends[static_cast<std::size_t>(far)] = static_cast<int>(made.order.size());
    }
  }
}

const victims_by_distance::view* victims_by_distance::view_of(int worker) const noexcept {
  if (views_.empty()) return nullptr;
  return &views_[static_cast<std::size_t>(view_of_worker_[static_cast<std::size_t>(worker)])];
}

victims::victims(const rank_context& thief, const victims_by_distance& all)
    : count_(thief.owner().ranks_here()),
      own_(thief.index() % count_),
      near_(all.view_of(thief.index())),
      is_random_(thief.owner().values().steal_from == "random"),
      is_sticky_(thief.owner().values().steal_from == "sticky"),
      random_state_(static_cast<std::uint32_t>(thief.index()) * 2'654'435'761U + 1) {
  if (near_ == nullptr) return;
  auto begin = near_->order.begin();
  for (std::size_t far = 0; far < near_->ends.size(); ++far) {
    const auto end = near_->order.begin() + near_->ends[far];
    const auto from_own_on = std::lower_bound(begin, end, own_);
    own_places_[far] = static_cast<int>((from_own_on == end ? begin : from_own_on) - begin);
    begin = end;
  }
}

/// The i-th by distance, and of those at one distance from the own number on.
int victims::nearest(int i) const noexcept {
  int begin = 0;
  std::size_t far = 0;
  for (; i >= near_->ends[far]; ++far) begin = near_->ends[far];
  const int place = i + own_places_[far];
  return near_->order[static_cast<std::size_t>(place < near_->ends[far] ? place : place - near_->ends[far] + begin)];
}

int victims::next_random() noexcept {  // xorshift (Marsaglia, 2003)
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 17;
  random_state_ ^= random_state_ << 5;
  return static_cast<int>(random_state_ % static_cast<std::uint32_t>(count()));
}

}  // namespace pure::core
