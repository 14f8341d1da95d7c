// Who started this process, as its environment tells: an MPI's mpiexec, Slurm's srun, or nobody in particular.
//
// A program that a process of a job of several starts (system, fork and exec) inherits that process's environment, and
// is no part of the job: PURE_INSIDE_OF, which such a process sets for what it starts, tells them apart.
//
// Pure functions of an environment, and of the number of this process; any thread may call them. Nothing is loaded and
// no MPI is asked: this decides whether one is needed at all, and which.
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
  bool is_nested =
      false;  ///< started by a process of another job; what the environment says of a launcher is that one's
};

/// `environment`: "NAME=VALUE" strings that end with a null pointer. Throws pure::Error (state) if a launcher's
/// variables contradict each other.
process_launch recognise_launch(const char* const* environment);

/// Whether this process was started by one of another job.
bool is_inside_other_job(const char* const* environment);

/// For what this process of several will start. Not while other threads use the environment.
void mark_what_is_started() noexcept;

/// Whether a variable of the environment is one by which a launcher tells a process what it is of a job.
bool is_of_launcher(std::string_view name) noexcept;

/// For messages: "mpiexec of MPICH (Hydra)".
std::string_view launcher_name(launcher by) noexcept;

/// Which network suits: "mpich" or "openmpi"; empty if both may.
std::string_view network_of(const process_launch& launched) noexcept;

}  // namespace pure::core
