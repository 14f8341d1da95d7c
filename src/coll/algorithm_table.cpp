#include "coll/algorithm_table.hpp"

#include <string>

#include "runtime/job.hpp"

namespace pure::core {

namespace {

std::shared_ptr<const tuning> table_in_force(const job& of) {
  const std::string& path = of.values().tuning;
  return path.empty() ? std::make_shared<const tuning>() : std::make_shared<const tuning>(path);
}

}  // namespace

algorithm_table::algorithm_table(const rank_context& owner)
    : table_(owner.index() == 0 ? table_in_force(owner.owner()) : of(owner.owner().worker(0)).table_) {}

}  // namespace pure::core
