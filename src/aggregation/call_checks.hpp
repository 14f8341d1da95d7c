// Who may call what of an aggregation, and when: its own rank's thread, in the stages that allow it. The errors name
// the rank and the aggregation.
#pragma once

#include <string>

#include <pure/error.hpp>

#include "aggregation/handler_scope.hpp"
#include "aggregation/rank_stage.hpp"
#include "base/call.hpp"
#include "runtime/rank.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class call_checks {
 public:
  /// `rank` of so many in the communicator. The others outlive it.
  call_checks(rank_context& owner, const handler_state& handlers, const rank_stage& stage, int rank, int ranks,
              shared_name name) noexcept;

  [[nodiscard]] rank_context& owner() const noexcept { return owner_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const shared_name& name() const noexcept { return name_; }
  [[nodiscard]] bool is_in_handler() const noexcept { return handlers_.is_in_handler(); }

  /// Refuses other threads, and chunks of tasks. Throws state, as all of these.
  void require_owner(const call& by) const;
  /// And stages in which nothing is sent.
  void require_sender(const call& by) const;
  /// And handlers, and the work of finish. `what` is refused.
  void require_open(const call& by, const char* what) const;
  /// Throws rank.
  void require_rank(const call& by, int dest) const;

  [[noreturn]] void throw_wrong(const call& by, errc code, const std::string& text) const;

 private:
  rank_context& owner_;
  const handler_state& handlers_;
  const rank_stage& stage_;
  const int rank_;
  const int ranks_;
  const shared_name name_;
};

}  // namespace pure::core
