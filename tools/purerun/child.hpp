// The program as a child process: started with its environment, sent the signals that purerun gets, waited for.
//
// One child per purerun; everything happens on the main thread, but for a filter of what the child says.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace purerun {

class filtered_stderr;

struct child_end {
  int wait_status = 0;           ///< as waitpid gives it
  int first_signal = 0;          ///< that purerun got, and the program with it; 0: none
  bool signal_was_ours = false;  ///< the signal that ended it had been sent to purerun, too
  bool was_overdue = false;      ///< it did not end by itself
  bool was_killed = false;       ///< nor after a second signal
};

/// How long a child may go on after its work is over.
inline constexpr int overdue_seconds = 4;

/// How long it, and what it has started, may go on after a second SIGINT or SIGTERM.
inline constexpr int seconds_after_second_signal = 2;

/// This process becomes the program. Returns only by throwing program_error: it cannot be executed.
[[noreturn]] void become_program(const std::string& path, const std::vector<std::string>& command,
                                 const std::vector<std::string>& environment);

/// Runs the program at `path` to its end. If `is_over` is given it is asked twice a second; a child that is still there
/// `overdue_seconds` after it has said yes is ended: by SIGTERM, and, 10 s later, by SIGKILL. Throws program_error if
/// the program cannot be executed, std::system_error if there can be no child. `errors`, if not null: its stderr.
child_end run_child(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment, const std::function<bool()>& is_over,
                    filtered_stderr* errors);

}  // namespace purerun
