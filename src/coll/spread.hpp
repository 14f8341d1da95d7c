// How the ranks of a communicator are spread over several processes, for one of them. Own thread only.
#pragma once

#include <memory>
#include <vector>

#include "coll/process_parts.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

/// `here` is a communicator of this process's part alone, with whose collectives those of all begin and end.
struct spread {
  spread(communicator& on, const process_parts& of_all);

  [[nodiscard]] int parts() const noexcept { return all.count(); }
  [[nodiscard]] const std::vector<std::vector<int>>& members() const noexcept { return all.members; }
  [[nodiscard]] const std::vector<int>& own_members() const noexcept {
    return members()[static_cast<std::size_t>(own_part())];
  }
  [[nodiscard]] int own_part() const noexcept { return all.own; }
  [[nodiscard]] bool is_in_blocks() const noexcept { return all.is_in_blocks; }
  [[nodiscard]] int leader_of(int part) const noexcept { return members()[static_cast<std::size_t>(part)].front(); }
  [[nodiscard]] bool leads() const noexcept { return here->rank() == 0; }
  [[nodiscard]] int part_of(int rank) const noexcept { return all.part_of[static_cast<std::size_t>(rank)]; }
  /// Of a rank of any part, in its part.
  [[nodiscard]] int index_of(int rank) const noexcept { return all.index_of[static_cast<std::size_t>(rank)]; }

  const process_parts& all;
  std::unique_ptr<communicator> here;
};

}  // namespace pure::core
