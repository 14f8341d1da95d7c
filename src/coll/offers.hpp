// What the ranks of a communicator tell each other when they make something together: an offer of each, and if
// something is wrong at one of them, what.
//
// Every rank calls these in the same order. An offer has `is_refused`: the arguments of its rank are wrong, and the
// rest of it says nothing.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "coll/collective.hpp"
#include "comm/refusal.hpp"

namespace pure::core {

/// Of all ranks.
template <class Told>
std::vector<Told> gather_all(communicator& on, const call& by, const Told& own) {
  std::vector<Told> all(static_cast<std::size_t>(on.size()));
  detail::collective_arguments what;
  what.kind = detail::collective::allgather;
  what.send = &own;
  what.count = sizeof own;
  what.element_bytes = 1;
  what.recv = all.data();
  what.recv_blocks.block_bytes = sizeof own;
  run_collective(on, by, what);
  return all;
}

/// Throws in all ranks if the offer of one is refused: there `own`, which is why; elsewhere an error that names the
/// first such rank and has its text. Collective only then.
template <class Offer>
void require_none_refused(communicator& on, const call& by, const std::vector<Offer>& all,
                          const std::optional<Error>& own) {
  const auto first = std::find_if(all.begin(), all.end(), [](const Offer& each) { return each.is_refused; });
  if (first == all.end()) return;
  refusal of_first = own ? refusal(*own, by) : refusal();
  detail::collective_arguments what;
  what.kind = detail::collective::bcast;
  what.root = static_cast<int>(first - all.begin());
  what.recv = &of_first;
  what.count = sizeof of_first;
  what.element_bytes = 1;
  run_collective(on, by, what);
  if (own) throw Error(*own);
  throw of_first.error_elsewhere(on, by, what.root);
}

}  // namespace pure::core
