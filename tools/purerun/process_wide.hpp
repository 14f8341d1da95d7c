// What a program does to its process as a whole: to the working directory, to signal handlers, to the number of the
// process. Where ranks are threads they share it, however private their globals are, and some programs would compute
// something else, or write over each other's files, without a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/closure.hpp"

namespace purerun {

struct process_wide_use {
  std::string object;     ///< the program or library that does it; empty: LD_PRELOAD
  std::string by;         ///< for people: "it calls chdir", "its library libown.so calls chdir"
  std::string_view what;  ///< which ranks share: "the working directory"
  bool decides = false;   ///< each rank may take it for its own: then they had better be processes
};

/// The program, or a library that does not come with the system.
bool is_brought_along(const pure::core::program_object& object) noexcept;

/// Of the program and of the libraries that it brings along; what libraries of the system do to the process counts for
/// those alone that are known for it. Those that decide come first. `environment`: "NAME=VALUE".
std::vector<process_wide_use> process_wide_uses(const pure::core::program_closure& closure,
                                                const std::vector<std::string>& environment);

/// Whether the program at that path could start another one in its place, or beside it, and so be one that only starts
/// the one that is meant: env, gdb, a shell. Also of what nobody can look into: a script, a static program.
bool may_start_others(const std::string& path);

}  // namespace purerun
