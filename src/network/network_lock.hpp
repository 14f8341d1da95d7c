// Who may be inside the network: one thread at a time (MPI_THREAD_SERIALIZED; DESIGN D5). Never waited for: whoever
// does not get the lock leaves its work where the one who has it finds it, or tries again at its next poll.
// Modelled by tests/model/network_lock.pml.
#pragma once

#include <atomic>

#include "base/cache_line.hpp"

namespace pure::core {

class alignas(line_bytes) network_lock {
 public:
  /// Any thread.
  [[nodiscard]] bool try_take() noexcept {
    // relaxed: only a guess, which keeps those who poll from writing to the line
    if (taken_.load(std::memory_order_relaxed)) return false;
    // acquire: what the thread before has done inside; pairs with the release in give_back()
    return !taken_.exchange(true, std::memory_order_acquire);
  }
  /// By the thread that has it.
  void give_back() noexcept {
    taken_.store(false, std::memory_order_release);  // release: what was done inside; pairs with try_take()
  }

 private:
  std::atomic<bool> taken_{false};
};

/// The lock for a scope, if it could be had.
class network_visit {
 public:
  explicit network_visit(network_lock& lock) noexcept : lock_(lock.try_take() ? &lock : nullptr) {}
  ~network_visit() {
    if (lock_ != nullptr) lock_->give_back();
  }
  network_visit(const network_visit&) = delete;
  network_visit& operator=(const network_visit&) = delete;

  explicit operator bool() const noexcept { return lock_ != nullptr; }

 private:
  network_lock* const lock_;
};

}  // namespace pure::core
