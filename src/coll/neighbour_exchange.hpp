// A collective of a rank and its neighbours in a topology (MPI 5.0, 8.6): messages in a context of their own. Own
// thread of the rank only.
//
// Ranks call the neighbourhood collectives of a communicator in one order, and a message from one rank to another with
// one tag does not overtake an earlier one: so each meets the one that it is for, also where several are pending.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "match/message_exchange.hpp"
#include "match/pending_operation.hpp"

namespace pure::core {

class neighbour_exchange final : public pending_operation {
 public:
  /// A message of this rank. `peer`: a rank of the communicator, or proc_null.
  struct message {
    placed_message data;
    int peer;
    int tag;
  };

  /// Inactive.
  neighbour_exchange(communicator& on, const call& by, std::vector<message> sent, std::vector<message> received,
                     bool is_persistent);

  bool poll() noexcept override;
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override;
  [[nodiscard]] const Error* failure() const noexcept override { return failure_ ? &*failure_ : nullptr; }
  void settle(const call& by) noexcept override;
  void add_contexts(std::vector<std::uint32_t>& to) const override;

  [[nodiscard]] bool is_persistent() const noexcept override { return is_persistent_; }
  [[nodiscard]] bool is_active() const noexcept override { return is_active_; }
  void start(const call& by) override;
  void deactivate() noexcept override { is_active_ = false; }

  void hold_communicator() noexcept { on_.hold(); }
  void let_go() noexcept override;

 private:
  void find_failure();

  communicator& on_;
  const call made_by_;
  const std::vector<message> sent_, received_;
  const bool is_persistent_;
  bool is_active_ = false;
  // One of each side in each; empty before the first start.
  std::vector<std::unique_ptr<message_exchange>> pairs_;
  std::optional<Error> failure_;
};

/// Blocking; a request; an inactive persistent request.
void run_neighbour_exchange(communicator& on, const call& by, std::vector<neighbour_exchange::message> sent,
                            std::vector<neighbour_exchange::message> received);
handle start_neighbour_exchange(communicator& on, const call& by, std::vector<neighbour_exchange::message> sent,
                                std::vector<neighbour_exchange::message> received, bool is_persistent);

}  // namespace pure::core
