// Who started this process, as its environment tells: an MPI's mpiexec, Slurm's srun, or nobody in particular.
//
// Pure functions of an environment; any thread may call them. Nothing is loaded and no MPI is asked: this decides
// whether one is needed at all, and which.
#pragma once

#include <string>
#include <string_view>

namespace pure::core {

enum class launcher {
  none,     // a shell, a debugger, a script: one process
  hydra,    // mpiexec of MPICH and its relatives
  openmpi,  // mpiexec of Open MPI
  slurm     // srun by itself
};

/// How processes of a Slurm step can find each other (srun --mpi=...).
enum class slurm_interface { none, pmi2, pmix };

struct process_launch {
  launcher by = launcher::none;
  slurm_interface with = slurm_interface::none;
  int process = 0;        ///< this one's number among those that were started together
  int processes = 1;      ///< how many these are
  int index_on_host = 0;  ///< among those of this machine; 0 of 1 if the launcher does not say
  int processes_on_host = 1;
};

/// `environment`: "NAME=VALUE" strings that end with a null pointer. Throws pure::Error (state) if a launcher's
/// variables contradict each other.
process_launch recognise_launch(const char* const* environment);

/// For messages: "mpiexec of MPICH (Hydra)".
std::string_view launcher_name(launcher by) noexcept;

/// Which network suits: "mpich" or "openmpi"; empty if both may.
std::string_view network_of(const process_launch& launched) noexcept;

}  // namespace pure::core
