// What the kernel offers that Pure makes use of.
#pragma once

#include <string>

namespace pure::tool {

struct kernel_facts {
  std::string release;
  bool has_membarrier = false;  ///< MEMBARRIER_CMD_PRIVATE_EXPEDITED (runtime/heavy_fence.hpp)
  std::string huge_pages;       ///< in words
};

kernel_facts look_at_kernel();

}  // namespace pure::tool
