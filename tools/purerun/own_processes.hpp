// The processes of a job that purerun starts itself, on this machine: started together, ended together.
//
// One job per purerun; everything happens on the main thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace purerun {

/// How far a process is in the job; of a script's several programs, in that of the latest.
enum class joined { not_yet, yes, and_left };

struct job_to_run {
  std::string path;
  std::vector<std::string> command;
  std::vector<std::string> environment;           ///< of all
  std::vector<std::vector<std::string>> of_each;  ///< what each has besides; as many as there are processes
  std::vector<std::vector<int>> cpus_of_each;     ///< where each may run; empty: where purerun may
  std::function<joined(int process)> stage_of;    ///< asked now and then, and when one has ended
  /// Which process has joined for it: its own, or one that it has started, as a script does; 0: none, or not known.
  std::function<pid_t(int process)> pid_of;
};

struct job_end {
  /// Why the job was ended, where the processes have not all ended by themselves, in order.
  enum class cause {
    none,
    killed,      ///< a signal has ended one
    failed,      ///< one has ended itself with a status that is not 0, and not its part in the job
    cut_off,     ///< one has ended with status 0, and not its part in the job
    never_came,  ///< one has ended without having joined the job, in which others wait for it
    lost,        ///< the program of one has ended, and not its part in the job; the script that started it goes on
  };
  cause why = cause::none;
  int process = 0;               ///< which; where there is no cause, the first whose status is not 0
  int wait_status = 0;           ///< its, as waitpid gives it
  bool was_script = false;       ///< it had started the program that joined, as a script does
  int first_signal = 0;          ///< that purerun got, and the processes with it; 0: none
  int asked_by = 0;              ///< the latest of those that ask for an end; 0: none
  bool signal_was_ours = false;  ///< the signal that ended it had been sent to purerun, too
  bool was_killed = false;       ///< the processes did not end after a second signal
};

/// Runs the job to its end. Process 0 has purerun's stdin, the others an empty one. When one ends as it should not, the
/// others are ended: by SIGTERM, and, `seconds_after_failure` later, by SIGKILL. Throws program_error if the program
/// cannot be executed, std::system_error, with the number of the process, if a process cannot be made.
job_end run_processes(const job_to_run& what);

inline constexpr int seconds_after_failure = 2;

}  // namespace purerun
