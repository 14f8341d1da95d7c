// The program as a child process: started with its environment, sent the signals that purerun gets, waited for.
//
// One child per purerun; everything happens on the main thread.
#pragma once

#include <string>
#include <vector>

namespace purerun {

struct child_end {
  int wait_status = 0;           ///< as waitpid gives it
  int first_signal = 0;          ///< that purerun got, and the program with it; 0: none
  bool signal_was_ours = false;  ///< the signal that ended it had been sent to purerun, too
};

/// Runs the program at `path` to its end. Throws program_error if it cannot be executed, std::system_error if there
/// can be no child.
child_end run_child(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment);

}  // namespace purerun
