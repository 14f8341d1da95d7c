// What a rank is (--ranks-as, --globals): a thread with globals of its own, for which the program is loaded once for
// each rank (src/loader); a thread that shares the program's globals; or a process.
//
// Programs of pure.h are written for threads that share. An MPI program takes each global variable for its rank's own:
// its ranks are threads if it can be loaded for each, and does nothing to its process that ranks would feel, else
// processes. A program without any MPI, which starts no others, every rank runs by itself, as mpiexec has it.
#pragma once

#include <string>
#include <vector>

#include "purerun/mpi_program.hpp"

namespace purerun {

/// As the command line has it; empty: nobody has said it.
struct rank_wish {
  std::string kind;     ///< threads, processes or auto
  std::string globals;  ///< private or shared
};

struct rank_kind {
  bool is_process = false;
  bool runs_by_itself = false;  ///< no rank calls Pure, or an MPI
  std::string launcher{};       ///< executed in place of the program, which it loads for each rank; empty: not loaded
  std::string note{};           ///< for people; empty: nothing to say
};

/// `path`: of the program, `name`: for messages, `environment`: in which it will run. Throws usage_error for another
/// word, program_error for a wish that cannot be.
rank_kind choose_rank_kind(const rank_wish& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name, const std::vector<std::string>& environment);

}  // namespace purerun
