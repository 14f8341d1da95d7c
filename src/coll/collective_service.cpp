#include "coll/collective_service.hpp"

#include "coll/pending_collective.hpp"
#include "runtime/job.hpp"

namespace pure::core {

collective_service::collective_service(rank_context& owner) {
  const job& all = owner.owner();
  if (owner.number() != 0) {
    table_ = of(all.at(0)).table_;
  } else if (const std::string& path = all.values().tuning; path.empty()) {
    table_ = std::make_shared<const tuning>();
  } else {
    table_ = std::make_shared<const tuning>(path);
  }
}

bool collective_service::advance() {
  if (pending_.empty()) return false;
  // Those that complete stay in their place until all have been polled.
  bool any_is_complete = false;
  for (pending_collective* const each : pending_) any_is_complete |= each->poll();
  if (any_is_complete) std::erase_if(pending_, [](const pending_collective* each) { return each->is_complete(); });
  return any_is_complete;
}

}  // namespace pure::core
