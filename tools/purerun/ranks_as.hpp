// What a rank is: a thread of the program, or a process of its own (--ranks-as). Programs of pure.h are written for
// threads. Nearly every MPI program has global variables that each rank takes for its own: its ranks are processes,
// unless somebody says that it has none.
#pragma once

#include <string>

#include "purerun/mpi_program.hpp"

namespace purerun {

struct rank_kind {
  bool is_process = false;
  std::string note;  ///< for people; empty: nothing to say
};

/// `asked`: threads, processes, auto, or empty where nobody has said it. `path`: of the program, `name`: for messages.
/// Throws usage_error for another word.
rank_kind choose_rank_kind(const std::string& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name);

}  // namespace purerun
