// How the ranks of a communicator are spread over several processes. Plain data of one rank; own thread only.
#pragma once

#include <memory>
#include <vector>

#include "coll/collective_member.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

/// The ranks of one process are a *part*; parts are numbered in the order of their first ranks. The first rank of a
/// part *leads* it. `here` is a communicator of this process's part alone, with whose collectives those of all begin
/// and end.
struct spread {
  explicit spread(communicator& on);

  [[nodiscard]] int parts() const noexcept { return static_cast<int>(members.size()); }
  [[nodiscard]] const std::vector<int>& own_members() const noexcept {
    return members[static_cast<std::size_t>(own_part)];
  }
  [[nodiscard]] int leader_of(int part) const noexcept { return members[static_cast<std::size_t>(part)].front(); }
  [[nodiscard]] bool leads() const noexcept { return here->rank() == 0; }
  [[nodiscard]] int part_of(int rank) const noexcept { return part_of_rank[static_cast<std::size_t>(rank)]; }
  /// Of a rank of any part, in its part.
  [[nodiscard]] int index_of(int rank) const noexcept { return index_of_rank[static_cast<std::size_t>(rank)]; }

  std::vector<std::vector<int>> members;  // by part: ranks of the communicator, ascending
  std::vector<int> part_of_rank, index_of_rank;
  int own_part = 0;
  bool is_in_blocks = true;  // every part is consecutive ranks: what parts have combined can be combined in rank order
  std::unique_ptr<communicator> here;
};

}  // namespace pure::core
