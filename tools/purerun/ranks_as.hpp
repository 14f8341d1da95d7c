// What a rank is (--ranks-as, --globals): a thread with globals of its own, for which the program is loaded once for
// each rank (src/loader); a thread that shares the program's globals; or a process.
//
// Programs of pure.h are written for threads that share. An MPI program takes each global variable for its rank's own:
// its ranks are threads if it can be loaded for each, and does nothing to its process that ranks would feel, else
// processes. A program without any MPI, which starts no others, every rank runs by itself, as mpiexec has it. What may
// start others (env, gdb, a shell, a script) so many processes run, each of which is the rank of what it starts.
#pragma once

#include <string>
#include <vector>

#include "purerun/mpi_program.hpp"

namespace purerun {

/// As the command line has it; empty: nobody has said it.
struct rank_wish {
  std::string kind;     ///< threads, processes or auto
  std::string globals;  ///< private or shared
  /// What may start others shall do it once: a program of pure.h, whose ranks are threads, or one of a job that another
  /// launcher has started.
  bool is_for_one_start = false;
};

struct rank_kind {
  bool is_process = false;
  bool runs_by_itself = false;    ///< no rank calls Pure, or an MPI
  bool may_start_others = false;  ///< each process runs it, and may start programs that do
  std::string launcher{};         ///< executed in place of the program, which it loads for each rank; empty: not loaded
  std::string note{};             ///< for people; empty: nothing to say
};

/// " Its MPI is Pure, in place of Open MPI (libmpi.so.40)."; empty: the program is one of Pure's own MPI, or of none.
std::string text_of_door(const linked_mpi& its);

/// `path`: of the program, `name`: for messages, `environment`: in which it will run. Throws usage_error for another
/// word, program_error for a wish that cannot be.
rank_kind choose_rank_kind(const rank_wish& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name, const std::vector<std::string>& environment);

}  // namespace purerun
