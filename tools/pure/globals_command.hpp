// `pure globals`: the writable global variables of a program, which ranks share, printed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pure::tool {

struct globals_command {
  std::vector<std::string> files;  ///< the program, and libraries
  bool with_libraries = false;
  bool as_json = false;
};

/// Adds the subcommand, whose arguments go into `asked`.
CLI::App* add_globals_command(CLI::App& app, globals_command& asked);

/// The exit status.
int run_globals(const globals_command& asked);

}  // namespace pure::tool
