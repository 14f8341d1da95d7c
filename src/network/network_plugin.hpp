// Choosing and loading the network of a job of several processes. A job of one process never comes here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "network/network.hpp"
#include "network/process_launcher.hpp"

namespace pure::core {

/// Where plug-ins are looked for: PURE_PLUGIN_DIR alone if it is set, otherwise beside libpure (or the program that it
/// is linked into) and in the library folder next to that.
std::vector<std::string> plugin_folders(const settings& values);

/// The networks that Pure was built for and that are found there: of "mpich" and "openmpi".
std::vector<std::string> networks_found(const std::vector<std::string>& folders);

/// The network to open: PURE_NETWORK, or what suits the launcher. Throws pure::Error (state) that names the launcher,
/// what was found, and what to install or to start instead.
std::string choose_network(const settings& values, const process_launch& launched,
                           const std::vector<std::string>& found);

/// Throws pure::Error (state) if the processes that were started are not those that were asked for (PURE_PROCESSES).
void check_launch(const settings& values, const process_launch& launched);

/// Chooses, loads and opens. Blocks until all processes of the job have done so. Once in a process, on the thread that
/// will finalize it. `opening`: failed and context are the caller's, and what it wants to be other than usual; the
/// number of processes and the settings are filled in here. Throws pure::Error (state).
std::unique_ptr<network> open_network(const settings& values, const process_launch& launched, network_opening opening);

}  // namespace pure::core
