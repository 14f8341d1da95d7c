// What libc keeps for a process behind its functions, and each loaded rank has for itself: the sequence of rand, the
// place of strtok, the result of localtime, ...
//
// Made with the rank's program, and never destroyed. Any thread of the rank, at any time: what has more than one word
// has a lock of its own, as libc's has.
#pragma once

#include "loader/libc_variables.hpp"

namespace pure::core {

struct hidden_state {
  libc_variables variables{};
};

/// Of the rank to which the calling thread belongs. A thread of none (one that libc made) has that of the process's
/// first rank.
hidden_state& hidden_state_here() noexcept;

}  // namespace pure::core
