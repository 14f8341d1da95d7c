// An asymmetric fence: the rare side (a rank about to park) pays, the frequent side (every send) does not.
//
// heavy_fence() on one thread and light_fence() on another order store-then-load pairs as two sequentially
// consistent fences would. light_fence is a compiler barrier where the kernel offers membarrier(2)'s
// PRIVATE_EXPEDITED command, which makes every running thread of the process execute a full fence; elsewhere it is a
// real fence. (A real fence on every send costs a third of the flood rate: 25-55 against 60-78 million messages/s
// in prototypes/limits/flood_with_matching.)
// Modelled by tests/model/park.pml.
#pragma once

#include <atomic>

namespace pure::core {

/// True when light_fence may be a mere compiler barrier. Set before the first rank starts, constant afterwards.
extern bool light_fence_is_free;

/// Registers the process with the kernel; call before ranks start. Idempotent, any thread.
void prepare_heavy_fence();

void heavy_fence() noexcept;

inline void light_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);  // seq_cst: store before load; pairs with heavy_fence()
  if (!light_fence_is_free) [[unlikely]] {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // seq_cst: pairs with the one in heavy_fence()
  }
}

}  // namespace pure::core
