// The cpus of this machine shared out among processes that purerun starts itself: each is bound to its share before it
// becomes the program, as other MPIs' launchers do, so that libraries which count cpus when they are loaded count
// these.
#pragma once

#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "machine/cpu_claims.hpp"

namespace purerun {

struct process_shares {
  std::unique_ptr<pure::core::cpu_claims> claims;  ///< as long as the processes run
  /// By process: where its threads may run. Empty: wherever purerun may (nothing is to be bound, or a file says to
  /// what).
  std::vector<std::vector<int>> cpus;
  bool is_enough = true;  ///< if not, other jobs have too much of the machine, and nothing is bound
};

/// Throws pure::Error: the ranks cannot have as many cpus as they shall.
process_shares shares_of_processes(const pure::core::settings& values, int processes);

}  // namespace purerun
