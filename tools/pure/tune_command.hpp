// The command line of `pure bench tune`: what it is asked for, and what it says.
#pragma once

#include <string>

#include "pure/tune.hpp"

namespace pure::tool {

struct tune_command {
  tune_options options;
  std::string output;  ///< where the table goes; empty: nowhere
};

/// Prints progress to stderr and the result to stdout. Returns the exit status; throws what is to be told to people.
int run_tune(const tune_command& command);

}  // namespace pure::tool
