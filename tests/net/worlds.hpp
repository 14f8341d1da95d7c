// Communicators of the first ranks of a job, for random programs and plans of fewer ranks.
#pragma once

#include <pure.h>

#include <vector>

namespace net_test {

/// By n: the first n ranks, for those who are among them. Collective.
inline std::vector<pure_comm> worlds_of_first_ranks() {
  std::vector<pure_comm> worlds(1, PURE_COMM_NULL);
  for (int n = 1; n <= pure_size(); ++n) {
    worlds.push_back(PURE_COMM_NULL);
    pure_comm_split(PURE_COMM_WORLD, pure_rank() < n ? 0 : PURE_UNDEFINED, pure_rank(), &worlds.back());
  }
  return worlds;
}

}  // namespace net_test
