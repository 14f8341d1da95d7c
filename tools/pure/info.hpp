// `pure info`: the build, the machine, where ranks would run, the settings that are in force, and what the kernel
// offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "machine/mapping.hpp"
#include "machine/topology.hpp"

namespace pure::tool {

/// One setting as this environment has it.
struct setting_in_force {
  const core::setting_row* row;
  std::string value;
  std::string_view from;  ///< "default", "environment", or "environment, refused": then the default is shown
};

struct info {
  core::settings values;
  std::vector<setting_in_force> settings;
  const core::topology* machine;
  int ranks;                             ///< of a job that would start now
  std::vector<core::rank_place> places;  ///< empty if the mapping is impossible
  std::vector<std::string> problems;     ///< what would keep a job from starting, in words
  std::vector<std::string> warnings;     ///< the rest that is worth a word
};

/// Looks at the environment and the machine; what is wrong there is a problem, not an exception.
info gather_info();

std::string info_text(const info& all);
std::string info_json(const info& all);

}  // namespace pure::tool
