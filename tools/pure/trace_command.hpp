// The command line of `pure trace`: what it is asked for, and what it says.
#pragma once

#include <string>
#include <vector>

#include "pure/trace_model.hpp"

namespace CLI {
class App;
}

namespace pure::tool {

struct trace_command {
  std::string file;  ///< of purerun --trace
  std::string png;   ///< where the picture goes
  std::string from;  ///< times with units; empty: the start and the end of the run
  std::string to;
  std::string ranks;  ///< "0-3,7"; empty: all, and the helpers
  std::string zoom;   ///< "auto": a window in which ranks share a task
  int width = 1600;
};

/// Adds `trace` with its options, which fill `command`.
CLI::App* add_trace_command(CLI::App& app, trace_command& command);

/// Draws the picture, and says on stdout what it shows. Returns the exit status; throws what is to be told to people.
int run_trace(const trace_command& command);

}  // namespace pure::tool
