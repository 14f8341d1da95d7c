// Which ranks of a window hold which of its locks, and by which calls: for reports of those that wait for them.
//
// Of the windows of one process; others have a lock_note, which one of the holders writes, and which takes longer. Each
// rank writes what it holds itself, on lines of its own, after it has the lock and before it unlocks. Any thread may
// read, also when the window has ended; so what it reads is true of ranks that do nothing meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"
#include "base/call.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class lock_records final : public known_holders {
 public:
  explicit lock_records(std::size_t ranks) : of_(ranks) {}

  /// Before its first lock, for this takes memory. `number`: of that rank in the job.
  void prepare(int rank, int number) {
    own& its = of_[static_cast<std::size_t>(rank)];
    if (its.memory != nullptr) return;
    its.memory = std::make_unique<record[]>(of_.size());
    its.number = number;
    its.records.store(its.memory.get(), std::memory_order_release);  // release: number, empty records; pairs with of()
  }

  /// By that rank, which has prepared: it has the lock at `target`.
  void note(int rank, int target, const call& by) noexcept {
    record& made = at(rank, target);
    made.where.store(by.site.where, std::memory_order_relaxed);
    made.line.store(by.site.line, std::memory_order_relaxed);
    made.operation.store(by.operation, std::memory_order_relaxed);
  }
  void wipe(int rank, int target) noexcept { at(rank, target).operation.store(nullptr, std::memory_order_relaxed); }

  /// Of the lock at that rank of the window.
  [[nodiscard]] std::vector<holder> of(std::uint64_t target) const override;

 private:
  struct record {
    std::atomic<const char*> operation{nullptr};  // null: it is not held
    std::atomic<const void*> where{nullptr};
    std::atomic<unsigned> line{0};
  };
  struct alignas(line_bytes) own {
    std::unique_ptr<record[]> memory;  // by target
    int number = 0;
    std::atomic<const record*> records{nullptr};
  };

  [[nodiscard]] record& at(int rank, int target) noexcept {
    return of_[static_cast<std::size_t>(rank)].memory[static_cast<std::size_t>(target)];
  }

  std::vector<own> of_;  // by rank of the window
};

}  // namespace pure::core
