// Whether a handler of one of a rank's aggregations runs, and the time for which one does: self() is null then, as in
// chunks of tasks, so that other calls of Pure are errors. Handlers run one at a time. Own thread of the rank only.
#pragma once

#include "runtime/rank.hpp"

namespace pure::core {

class handler_state {
 public:
  explicit handler_state(rank_context& owner) noexcept : owner_(owner) {}
  handler_state(const handler_state&) = delete;
  handler_state& operator=(const handler_state&) = delete;

  [[nodiscard]] bool is_in_handler() const noexcept { return is_in_handler_; }

 private:
  friend class handler_scope;

  rank_context& owner_;
  bool is_in_handler_ = false;
};

/// While it lives, the thread runs a handler.
class handler_scope {
 public:
  explicit handler_scope(handler_state& of) noexcept;
  handler_scope(const handler_scope&) = delete;
  handler_scope& operator=(const handler_scope&) = delete;
  ~handler_scope();

 private:
  handler_state& of_;
};

}  // namespace pure::core
