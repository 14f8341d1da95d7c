// The MPIs over which this copy of Pure joins machines, for `pure info`. One thread.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"

namespace pure::tool {

struct found_network {
  std::string name;     // as PURE_NETWORK takes it
  std::string version;  // of the MPI that its plug-in gets here; empty if it gets none
  std::string problem;  // why; empty if there is a version
};

/// Loads each plug-in, with its MPI, which is asked for its version and is not started.
std::vector<found_network> networks_between_machines(const core::settings& values);

/// "mpich 4.0.2, openmpi 4.1.4", or why there is none and how to get one.
std::string networks_text(const std::vector<found_network>& networks);

}  // namespace pure::tool
