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
  enum class doing {
    computing,
    waiting,
    finished,
    elsewhere
  };  // finished: its main has returned; elsewhere: in
      // another process, which knows more

  doing now = doing::computing;
  bool rests = false;       // it sleeps, or has ended, and does nothing for others that waits for third ones; and all
                            // those who rest did so at one moment
  std::uint32_t sleep = 0;  // the number of its sleep; 0: it is awake, or has ended
  parked_wait wait;         // while waiting
  bool waits_for_holders = false;  // of something, and not for the rank where that is
  std::vector<holder> holders;     // as far as they are known
};

/// By rank; helpers are left out. Any thread.
std::vector<rank_state> look_at_ranks(const job& all);

/// How long all of these have waited at least, but for those that are elsewhere or have returned; 0 if one computes, or
/// none waits. Any thread.
std::int64_t common_wait_ns(std::span<const rank_state> ranks, std::span<const int> of);

}  // namespace pure::core
