// What the kernel offers that Pure makes use of.
#pragma once

#include <string>

namespace pure::tool {

struct kernel_facts {
  std::string release;
  bool has_membarrier = false;  ///< MEMBARRIER_CMD_PRIVATE_EXPEDITED (runtime/heavy_fence.hpp)
  std::string huge_pages;       ///< in words
  // For processes that purerun starts itself (net_shm/).
  bool may_read_peers = false;    ///< as processes of a job would (net_shm/peer_memory.hpp)
  bool has_doorbells = false;     ///< sockets by which a process that sleeps is woken (net_shm/doorbell.hpp)
  bool has_common_fence = false;  ///< MEMBARRIER_CMD_GLOBAL_EXPEDITED
  std::string why_no_segment;     ///< empty: they can share memory
};

kernel_facts look_at_kernel();

}  // namespace pure::tool
