// Networks that are plug-ins: where they are, and how one is loaded. A job of one process never comes here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "network/network_kind.hpp"

namespace pure::core {

/// Where plug-ins are looked for: PURE_PLUGIN_DIR alone if it is set, otherwise beside libpure (or the program that it
/// is linked into) and in the library folder next to that.
std::vector<std::string> plugin_folders(const settings& values);

/// All that Pure can be built for: MPICH and Open MPI.
std::vector<const network_kind*> plugin_networks();

/// The names of those that Pure was built for and that are found there.
std::vector<std::string> networks_found(const std::vector<std::string>& folders);

/// The file of such a network; empty if there is none.
std::string plugin_path(std::string_view name, const std::vector<std::string>& folders);

}  // namespace pure::core
