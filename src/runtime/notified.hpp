// Who is notified: a rank's waiter, which may sleep, or what stands for ranks of another process.
//
// Any thread notifies. A parking word says whether that has to do more than look at it.
// Modelled by tests/model/park.pml, stuck.pml.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "runtime/heavy_fence.hpp"

namespace pure::core {

/// The parking word has its pair of lines to itself, which changes only when a rank parks.
class alignas(pair_bytes) notified {
 public:
  notified(const notified&) = delete;
  notified& operator=(const notified&) = delete;

  /// Call it after publishing (a release store) what may be waited for.
  /// A load of a line that changes only when a rank parks: no cost for a rank that runs or spins.
  void notify() noexcept {
    light_fence();  // the publication before, the load after; pairs with heavy_fence() in waiter::park()
    if (parking_.load(std::memory_order_relaxed) != running) [[unlikely]]
      wake();
  }

 protected:
  // The parking word: a state, and for `parked` the number of the sleep above it.
  enum : std::uint32_t { running = 0, announced = 1, parked = 2, elsewhere = 3, state_mask = 3, one_sleep = 4 };

  explicit notified(std::uint32_t state) noexcept : parking_(state) {}
  ~notified() = default;

  /// By who notifies what does not run.
  virtual void wake() noexcept = 0;

  // Of a rank: written by it when it parks, by others when they wake it; read by every sender.
  std::atomic<std::uint32_t> parking_;
};

}  // namespace pure::core
