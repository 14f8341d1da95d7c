// What a program may say to MPI at any time, also before MPI_Init and after MPI_Finalize, from any thread (MPI 5.0,
// 11.4.1): of the process; where the ranks are threads that run its main, of each rank.
#pragma once

#include <map>
#include <mutex>

#include "start/calling_rank.hpp"

namespace pure::core::mpi {

/// One State for each; lasts as long as the process. Any thread.
template <class State>
class program_state {
 public:
  /// The state of the rank to which the calling thread belongs, or of the process.
  State& here() {
    const std::lock_guard guard(finding_);
    return all_[belongs_to()];
  }

 private:
  std::mutex finding_;
  std::map<const rank_in_main*, State> all_;
};

}  // namespace pure::core::mpi
