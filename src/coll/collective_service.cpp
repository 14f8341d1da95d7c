// Modelled by tests/model/dropbox.pml.
#include "coll/collective_service.hpp"

#include <utility>

#include "coll/pending_collective.hpp"
#include "runtime/job.hpp"

namespace pure::core {

collective_service::collective_service(rank_context& owner) {
  const job& all = owner.owner();
  if (owner.index() != 0) {
    table_ = of(all.worker(0)).table_;
  } else if (const std::string& path = all.values().tuning; path.empty()) {
    table_ = std::make_shared<const tuning>();
  } else {
    table_ = std::make_shared<const tuning>(path);
  }
}

bool collective_service::advance() {
  bool has_moved = false;
  for (std::size_t i = 0; i < pending_.size();) {
    if (pending_[i]->poll()) {
      has_moved = true;  // and it has removed itself
    } else {
      ++i;
    }
  }
  return std::exchange(has_new_phase_, false) || has_moved;
}

}  // namespace pure::core
