// The ranks of an aggregation that are in one process: what the others here know of each of them.
//
// Any thread, where nothing else is said. A rank fills in its own entry before any other one sends to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "aggregation/item_inbox.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

struct part_member {
  item_inbox inbox;
  rank_context* owner = nullptr;          // null until the rank is ready
  int rank = 0;                           // of the communicator
  int number = 0;                         // in the job
  std::unique_ptr<pair_credit[]> credit;  // for what it pushes, by the receiver's index; written by the receivers
  std::atomic<bool> has_left{false};

  /// Something has come that it may wait for.
  void notify() const noexcept {
    if (owner != nullptr) owner->notify();
  }
};

class part_members {
 public:
  /// `ranks`: of the communicator, by index.
  explicit part_members(std::span<const int> ranks) : all_(ranks.size()) {
    for (std::size_t i = 0; i < ranks.size(); ++i) all_[i].rank = ranks[i];
  }

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] part_member& at(int index) noexcept { return all_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const part_member& at(int index) const noexcept { return all_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::span<part_member> all() noexcept { return all_; }
  [[nodiscard]] std::span<const part_member> all() const noexcept { return all_; }

  void notify_all() const noexcept {
    for (const part_member& each : all_) each.notify();
  }

  /// The rank uses the aggregation no longer: who waits in finish for it is told.
  void leave(int index) noexcept {
    // release: which phases it has finished; pairs with part_phases::first_gone()
    at(index).has_left.store(true, std::memory_order_release);
    left_.fetch_add(1, std::memory_order_relaxed);
    notify_all();
  }
  [[nodiscard]] bool somebody_has_left() const noexcept { return left_.load(std::memory_order_relaxed) > 0; }

 private:
  std::vector<part_member> all_;
  std::atomic<int> left_{0};
};

}  // namespace pure::core
