#include "coll/process_parts.hpp"

#include <map>

#include "runtime/job.hpp"

namespace pure::core {

process_parts::process_parts(const communicator& on) {
  const other_processes& others = *on.owner().owner().others();
  std::map<int, int> part_of_process;
  for (int rank = 0; rank < on.size(); ++rank) {
    const int process = others.placement().process_of(on.number_of(rank));
    const auto [part, is_new] = part_of_process.try_emplace(process, count());
    if (is_new) members.emplace_back();
    is_in_blocks = is_in_blocks && (part_of.empty() || is_new || part->second == part_of.back());
    if (process == others.process()) own = part->second;
    auto& those = members[static_cast<std::size_t>(part->second)];
    part_of.push_back(part->second);
    index_of.push_back(static_cast<int>(those.size()));
    those.push_back(rank);
  }
}

}  // namespace pure::core
