// What a rank keeps for its collectives, whatever their communicator: the table that chooses algorithms, and the
// operations that are pending, which every wait of the rank moves on. Own thread of the rank only.
#pragma once

#include <memory>
#include <vector>

#include "coll/tuning.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

class pending_collective;

class collective_service final : public rank_service<collective_service, 3> {
 public:
  /// The services of a job are made one after the other, that of rank 0 first: it reads the table for all.
  explicit collective_service(rank_context& owner);

  [[nodiscard]] const tuning& table() const noexcept { return *table_; }

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
  std::shared_ptr<const tuning> table_;  // the job's
  bool has_new_phase_ = false;
  std::vector<pending_collective*> pending_;  // in the order of their starts
};

}  // namespace pure::core
