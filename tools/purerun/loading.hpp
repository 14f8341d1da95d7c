// What stands in the way of loading a program once for each rank, and what it would consist of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/closure.hpp"
#include "purerun/process_wide.hpp"

namespace purerun {

struct loading {
  std::optional<pure::core::program_closure> closure;  ///< none: it is refused
  std::vector<process_wide_use> uses;                  ///< what ranks share all the same; those that decide come first
  std::string launcher;                                ///< what loads it; empty: it cannot be
  std::string against;  ///< why it cannot be loaded, or had better not: "it is linked statically"; empty: nothing
  std::string refusal;  ///< why it cannot be, at length; empty: it can be
};

/// Of the program at that path, in that environment. Throws program_error if it cannot be started in any way, as some
/// of its libraries are missing.
loading look_at_loading(const std::string& path, const std::vector<std::string>& environment, bool is_of_pure_h);

}  // namespace purerun
