// What a rank keeps for its collectives, whatever their communicator: the table that chooses algorithms
// (algorithm_table.hpp), and the operations that are pending, which every wait of the rank moves on. Own thread of the
// rank only.
#pragma once

#include <vector>

#include "coll/algorithm_table.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class pending_collective;

class collective_service final : public algorithm_table {
 public:
  explicit collective_service(const rank_context& owner) : algorithm_table(owner) {}

  static collective_service& of(const rank_context& owner) noexcept {
    return static_cast<collective_service&>(algorithm_table::of(owner));
  }

  /// `started` is polled until it removes itself: when it is complete.
  void add(pending_collective& started) { pending_.push_back(&started); }
  void remove(const pending_collective& ended) noexcept { std::erase(pending_, &ended); }

  /// A pending operation is in a new phase: whoever is about to park must look once more, because the phase may have
  /// announced, in the last look only, what it waits for (a slot; tests/model/dropbox.pml, MUTATE_WANT_AT_LAST_LOOK).
  void note_new_phase() noexcept { has_new_phase_ = true; }

  bool advance() override;
  [[nodiscard]] bool acts_for_others() const noexcept override { return !pending_.empty(); }
  bool end_main() noexcept override { return !pending_.empty(); }  // others need them
  void close() noexcept override { pending_.clear(); }

 private:
  bool has_new_phase_ = false;
  std::vector<pending_collective*> pending_;  // in the order of their starts
};

}  // namespace pure::core
