// What purerun was asked to do: its command line and the settings that follow from it.
//
// Everything that can be known to be wrong is refused here, before the program starts, by the library's own checks.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "purerun/hosts.hpp"

namespace purerun {

/// Exit statuses of purerun itself; otherwise it ends like the program. --help lists them.
enum exit_status : int { wrong_use = 2, not_linked = 3, not_executable = 126, not_found = 127, signal_base = 128 };

/// The command line or the environment is wrong; what() is for people.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct options {
  std::vector<std::string> command;      ///< the program and its arguments
  std::vector<std::string> environment;  ///< for the program: "NAME=VALUE", settings checked
  std::vector<std::string> launcher;  ///< what starts the processes, with its options; empty: one process, started here
  std::string network;                ///< of several processes: "shm", "mpich" or "openmpi"
  int own_processes = 0;              ///< how many processes purerun starts itself; 0: one, or a launcher does
  std::vector<std::string> ranks_of;  ///< by process of these: "ranks 2-3"; empty: they find out themselves
  std::string executable;             ///< what starts in place of the program, and loads it; empty: the program itself
  bool needs_no_rank = false;         ///< the program has no Pure and no MPI, and each rank runs it
  std::string note;                   ///< for people, before the start; empty: nothing
  bool is_elsewhere = false;          ///< these may be on other machines
  std::vector<host> hosts;            ///< these machines, if they were named
  bool check = false;                 ///< errors are looked for, as was asked for
  bool dry_run = false;               ///< only print what would be executed
  std::string text;                   ///< if not empty: print this (--help, --explain) and do nothing else
};

/// Of an environment as above. Throws pure::Error.
pure::core::settings settings_of(const std::vector<std::string>& environment);

/// In an environment as above.
void set_variable(std::vector<std::string>& environment, std::string_view name, std::string_view value);

/// Throws usage_error.
options parse_options(int argc, const char* const* argv);

}  // namespace purerun
