// Which ranks of a communicator are in which process. Constant; one for all its ranks of a process.
#pragma once

#include <vector>

#include "comm/communicator.hpp"

namespace pure::core {

/// The ranks of one process are a *part*; parts are numbered in the order of their first ranks. The first rank of a
/// part *leads* it.
struct process_parts {
  explicit process_parts(const communicator& on);

  [[nodiscard]] int count() const noexcept { return static_cast<int>(members.size()); }

  std::vector<std::vector<int>> members;  // by part: ranks of the communicator, ascending
  std::vector<int> part_of, index_of;     // by rank: its part, and its place there
  int own = 0;
  bool is_in_blocks = true;  // every part is consecutive ranks: what parts have combined can be combined in rank order
};

}  // namespace pure::core
