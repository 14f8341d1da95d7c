// Starting a job of several processes: which MPI's mpiexec, or Slurm's srun, and with which options.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "purerun/hosts.hpp"

namespace purerun {

/// What was asked for, as far as it is about several processes.
struct process_request {
  process_counts counts;
  bool per_numa_node = false;               ///< --ppn numa: counts.per_host is this machine's number of nodes
  std::vector<host> hosts;                  ///< empty: this machine, or those of the Slurm allocation
  std::string mpi = "auto";                 ///< or "none", "mpich", "openmpi"
  std::string mpiexec;                      ///< a path or a name; empty: the one that belongs to the MPI
  std::vector<std::string> launcher_words;  ///< passed to it as they are
  std::string interface;                    ///< of the network; empty: any
  bool needs_no_mpi = false;                ///< the program's MPI is Pure itself
  std::string not_by;                       ///< an MPI that cannot connect the processes; empty: any can
  std::string program;                      ///< a path or a name
};

struct launch_command {
  int processes = 1;
  std::string network;             ///< "shm", "mpich" or "openmpi"
  std::vector<std::string> words;  ///< the launcher and its options; the program comes behind. Empty: purerun itself
  bool is_elsewhere = false;       ///< the processes may be on other machines
  std::vector<host> hosts;         ///< these machines, if they were named
};

/// False: one process, without any launcher.
bool is_for_several(const process_request& asked);

/// Looks for the launcher, and asks it for its version. `environment` is the program's, which the processes get too;
/// variables that direct the MPI are added to it. Throws usage_error that says what to install or to leave out.
launch_command command_for(const process_request& asked, const pure::core::settings& values,
                           std::vector<std::string>& environment);

/// A command as one would type it.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace purerun
