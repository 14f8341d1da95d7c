// The tasks of a job: a slot for each rank, and the hint that tells waiting ranks whether it is worth looking; also who
// is near to whom.
//
// The hint is sticky. A rank that opens a task sets it only if it reads clear; a thief clears it only after many looks
// in vain, and then looks once more. So as long as tasks come, opening one writes no line that all ranks share.
//
// Why no task is overlooked: the owner publishes its slot and then reads the hint; the thief clears the hint and then
// reads the slots; all four are sequentially consistent, so one of them sees what the other wrote.
// Modelled by tests/model/task_slot.pml.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/cache_line.hpp"
#include "task/task_slot.hpp"
#include "task/victims.hpp"

namespace pure::core {

class task_pool {
 public:
  explicit task_pool(int workers, victims_by_distance near = {})
      : slots_(std::make_unique<task_slot[]>(static_cast<std::size_t>(workers))), victims_(std::move(near)) {}

  [[nodiscard]] const victims_by_distance& victims() const noexcept { return victims_; }

  [[nodiscard]] task_slot& slot_of(int rank) noexcept { return slots_[static_cast<std::size_t>(rank)]; }

  /// After a slot was opened.
  void tell() noexcept {
    // seq_cst: after the store in task_slot::open(); pairs with the store in forget(), which a look at the slots follows
    if (!hint_.load(std::memory_order_seq_cst)) hint_.store(true, std::memory_order_seq_cst);
  }
  [[nodiscard]] bool may_have_tasks() const noexcept { return hint_.load(std::memory_order_relaxed); }
  /// Look at all slots again afterwards, and tell() if one is open.
  void forget() noexcept { hint_.store(false, std::memory_order_seq_cst); }  // seq_cst: pairs with the load in tell()

 private:
  const std::unique_ptr<task_slot[]> slots_;
  const victims_by_distance victims_;
  alignas(pair_bytes) std::atomic<bool> hint_{false};
};

}  // namespace pure::core
