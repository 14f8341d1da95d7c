// `pure attach`: what the ranks of a running program do at this moment, printed.
#pragma once

namespace CLI {
class App;
}

namespace pure::tool {

struct attach_command {
  int process = 0;
  int timeout_s = 10;  ///< for all answers together
};

/// Adds the subcommand, whose arguments go into `asked`.
CLI::App* add_attach_command(CLI::App& app, attach_command& asked);

/// The exit status.
int run_attach(const attach_command& asked);

}  // namespace pure::tool
