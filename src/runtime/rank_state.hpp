// What the ranks of a job do at a moment: the material of every hang report.
//
// Taking it costs the ranks nothing. A rank that is awake counts as computing, though it may have begun to wait: nobody
// knows before it parks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/wait_reason.hpp"

namespace pure::core {

class job;

struct rank_state {
  enum class doing { computing, waiting, finished };  // finished: its main has returned

  doing now = doing::computing;
  bool rests = false;       // it sleeps, or has ended, and does nothing for others that waits for third ones
  std::uint32_t sleep = 0;  // the number of its sleep; 0: it is awake, or has ended
  parked_wait wait;         // while waiting
};

/// By rank; helpers are left out. Any thread.
std::vector<rank_state> look_at_ranks(const job& all);

/// True if these ranks have slept, or had ended, without a break since `seen` was taken: then all of `seen` that is
/// about them was true at one moment.
bool still_the_same(const job& all, std::span<const rank_state> seen, std::span<const int> ranks);

}  // namespace pure::core
