// Modelled by tests/model/dropbox.pml.
#include "coll/collective_service.hpp"

#include <utility>

#include "coll/pending_collective.hpp"

namespace pure::core {

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
