// Who started this process, as its environment tells: an MPI's mpiexec, Slurm's srun, or nobody in particular. What is
// known of each launcher is a row of a table (launchers()), and stands nowhere else.
//
// A program that a process of a job of several starts (system, fork and exec) inherits that process's environment, and
// is no part of the job: PURE_INSIDE_OF, which such a process sets for what it starts, tells them apart.
//
// Pure functions of an environment, and of the number of this process; any thread may call them. Nothing is loaded and
// no MPI is asked: this decides whether one is needed at all, and which.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pure::core {

/// "NAME=VALUE" strings that end with a null pointer.
class launch_variables {
 public:
  explicit launch_variables(const char* const* environment) noexcept : environment_(environment) {}

  /// Empty: there is none, or it is.
  [[nodiscard]] std::string_view text(std::string_view name) const noexcept;
  [[nodiscard]] bool has(std::string_view name) const noexcept { return !text(name).empty(); }
  [[nodiscard]] int number(std::string_view name, int otherwise) const;

 private:
  const char* const* environment_;
};

/// A launcher, or one way of its to start processes.
struct launcher {
  std::string_view name;  ///< for messages: "mpiexec of MPICH (Hydra)"
  /// Whether these are its variables. Asked only where no launcher before it in the table says so.
  bool (*has_started)(const launch_variables& environment) = nullptr;
  // The variables that say which process this is, and of how many; the same of those on its machine, if they are there.
  std::string_view process, processes, index_on_host, processes_on_host;
  std::string_view network;  ///< which one alone suits; empty: several may
  std::string_view prefers;  ///< of several, if it is there
  std::string_view lacks;    ///< what keeps its processes from finding each other, and what to do; empty: nothing
  bool leaves_room = false;  ///< a process that it has started alone may start others with a launcher of its own
  /// What a program that is no part of its job must not inherit: names, and how others begin.
  std::span<const std::string_view> variables, beginnings;
};

/// All that there are, in the order in which they are asked.
std::span<const launcher> launchers() noexcept;

struct process_launch {
  const launcher* by = nullptr;  ///< null: a shell, a debugger, a script, and one process
  int process = 0;               ///< this one's number among those that were started together
  int processes = 1;             ///< how many these are
  int index_on_host = 0;         ///< among those of this machine; 0 of 1 if the launcher does not say
  int processes_on_host = 1;
  /// Started by a process of another job: what the environment says of a launcher is that one's.
  bool is_nested = false;

  /// For messages.
  [[nodiscard]] std::string_view launcher_name() const noexcept { return by != nullptr ? by->name : "no launcher"; }
  /// Which network alone suits; empty: several may.
  [[nodiscard]] std::string_view network() const noexcept { return by != nullptr ? by->network : std::string_view(); }
};

/// `environment`: as for launch_variables. Throws pure::Error (state) if a launcher's variables contradict each other.
process_launch recognise_launch(const char* const* environment, std::span<const launcher> known = launchers());

/// Whether this process was started by one of another job.
bool is_inside_other_job(const char* const* environment);

/// For what this process of several will start. Not while other threads use the environment.
void mark_what_is_started() noexcept;

/// Whether a variable of the environment is one by which a launcher tells a process what it is of a job.
bool is_of_launcher(std::string_view name) noexcept;

}  // namespace pure::core
