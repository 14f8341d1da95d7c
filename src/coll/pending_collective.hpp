// A collective behind a request: non-blocking, or persistent. Every wait of its rank polls it through
// collective_service. Own thread of the rank only.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "coll/algorithms.hpp"
#include "coll/collective_staging.hpp"
#include "coll/signature.hpp"
#include "match/pending_operation.hpp"

namespace pure::core {

class collective_service;

class pending_collective final : public pending_operation {
 public:
  /// Inactive. `what` is kept, not what it points to. One that the program never completes is destroyed with its rank,
  /// after the communicators and the service: its destructor touches neither. A persistent one is the next of the
  /// communicator: whoever keeps it counts it (collective_member::count_persistent).
  pending_collective(communicator& on, const call& by, const collective_arguments& what, bool is_persistent,
                     std::unique_ptr<collective_staging> around);

  bool poll() noexcept override;
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override;
  [[nodiscard]] const Error* failure() const noexcept override { return failure_ ? &*failure_ : nullptr; }

  [[nodiscard]] bool is_persistent() const noexcept override { return is_persistent_; }
  [[nodiscard]] bool is_active() const noexcept override { return now_ != stage::inactive; }
  [[nodiscard]] bool is_complete() const noexcept { return now_ == stage::complete || now_ == stage::inactive; }
  void start(const call& by) override;
  void deactivate() noexcept override { now_ = stage::inactive; }

  /// From now on it needs its communicator, also after the program has freed it (MPI 4.1, 7.4.3), until let_go().
  void hold_communicator() noexcept { on_.hold(); }
  void let_go() noexcept override;

 private:
  enum class stage { inactive, checking, running, complete };

  using algorithm = std::variant<std::monostate, flat_barrier, flat_reduction, tree_reduction, tree_broadcast,
                                 partitioned_reducer, rooted_copy, exchange, spanning_collective, empty_operation>;

  bool move_on();
  [[nodiscard]] int waits_for() const noexcept;
  void fail(errc code, const std::string& text);
  /// The collective is complete, and has not failed.
  void end_well() noexcept;

  communicator& on_;
  std::unique_ptr<collective_member> own_;  // of a persistent one that has something to do
  collective_member& member_;
  collective_service& service_;
  const collective_arguments what_;
  const call made_by_;
  const bool is_persistent_;
  const std::unique_ptr<collective_staging> around_;  // null: nothing is to be done
  stage now_ = stage::inactive;
  bool is_broken_ = false;                 // one of its starts has not been carried out to the end
  std::unique_ptr<compared_calls> check_;  // null: calls are not compared
  algorithm running_;
  const operation* step_ = nullptr;  // in running_
  std::optional<Error> failure_;
};

}  // namespace pure::core
