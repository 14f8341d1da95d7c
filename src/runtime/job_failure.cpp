// Modelled by tests/model/park.pml.
#include "runtime/job_failure.hpp"

#include <utility>

namespace pure::core {

/// With the guard.
bool job_failure::is_first(bool is_thrown, bool is_deadlock) noexcept {
  const bool is_earlier_cause = is_deadlock_ && is_thrown;
  if (has_failed_ && !is_earlier_cause) return false;
  has_failed_ = true;
  is_deadlock_ = is_deadlock;
  return true;
}

bool job_failure::report(bool is_thrown, bool is_deadlock) {
  const std::lock_guard lock(guard_);
  return is_first(is_thrown, is_deadlock);
}

bool job_failure::report_to_ranks(cause what, bool is_thrown, bool is_deadlock) {
  const std::lock_guard lock(guard_);
  if (!is_first(is_thrown, is_deadlock)) return false;
  what_ = std::move(what);
  is_told_.store(true, std::memory_order_release);  // release: publishes the failure; pairs with is_told()
  return true;
}

}  // namespace pure::core
