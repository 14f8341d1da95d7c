// Modelled by tests/model/park.pml.
#include "runtime/heavy_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

namespace pure::core {

bool light_fence_is_free = false;

namespace {
long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }
}  // namespace

void prepare_heavy_fence() {
  static std::once_flag once;
  std::call_once(once, [] {
    const long offered = membarrier(MEMBARRIER_CMD_QUERY);
    if (offered < 0 || (offered & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
    light_fence_is_free = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  });
}

void heavy_fence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // seq_cst: pairs with light_fence()
  if (light_fence_is_free) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace pure::core
