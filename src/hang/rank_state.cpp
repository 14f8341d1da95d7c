// Modelled by tests/model/stuck.pml.
#include "hang/rank_state.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/clock.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

rank_state look_at(const job& all, int number) {
  rank_state state;
  if (!all.is_here(number)) {
    state.now = rank_state::doing::elsewhere;
    return state;
  }
  const rank_context& rank = all.at(number);
  if (rank.has_ended()) {
    state.now = rank_state::doing::finished;
    state.rests = true;
    return state;
  }
  const std::optional<waiter::sleep> sleep = rank.thread().look();
  if (sleep) {
    state.rests = !sleep->wait.acts_for_others;
    state.sleep = sleep->number;
    state.wait = sleep->wait;
    const wait_subject& about = state.wait.subject;
    state.waits_for_holders = about.held_by != nullptr;
    if (state.waits_for_holders) state.holders = about.held_by->of(about.number);
  }
  // After the sleep: a rank whose main has returned sleeps for nothing else any more, and not the other way round.
  if (rank.main_has_returned()) {
    state.now = rank_state::doing::finished;
  } else if (sleep) {
    state.now = rank_state::doing::waiting;
  }
  return state;
}

}  // namespace

std::vector<rank_state> look_at_ranks(const job& all) {
  std::vector<rank_state> states;
  states.reserve(static_cast<std::size_t>(all.size()));
  for (int rank = 0; rank < all.size(); ++rank) states.push_back(look_at(all, rank));
  // Once more, now that all have been looked at: who has been awake meanwhile does not rest.
  for (int rank = 0; rank < all.size(); ++rank) {
    rank_state& state = states[static_cast<std::size_t>(rank)];
    if (state.sleep != 0) state.rests = state.rests && all.at(rank).thread().still_sleeps(state.sleep);
  }
  return states;
}

std::int64_t common_wait_ns(std::span<const rank_state> ranks, std::span<const int> of) {
  const std::int64_t now = now_ns();
  std::int64_t since_ns = std::numeric_limits<std::int64_t>::min();
  for (const int rank : of) {
    const rank_state& each = ranks[static_cast<std::size_t>(rank)];
    if (each.now == rank_state::doing::computing) return 0;
    if (each.now == rank_state::doing::waiting) since_ns = std::max(since_ns, each.wait.since_ns);
  }
  return since_ns == std::numeric_limits<std::int64_t>::min() ? 0 : now - since_ns;
}

}  // namespace pure::core
