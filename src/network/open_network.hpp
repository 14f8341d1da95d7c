// Which network a job of several processes gets, of those that there are; and opening it. A job of one process never
// comes here. By the thread that starts the job.
#pragma once

#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "network/network.hpp"
#include "network/network_kind.hpp"
#include "network/process_launcher.hpp"

namespace pure::core {

/// Plug-ins, then those that are built in. Throws std::logic_error if two have the same name.
std::vector<const network_kind*> known_networks();

/// The kinds of networks that are there.
std::vector<const network_kind*> networks_there(const settings& values);

/// The network to open, of those that are there: PURE_NETWORK, or what suits the launcher. Throws pure::Error (state)
/// that names the launcher, what there is, and what to install or to start instead.
const network_kind& choose_network(const settings& values, const process_launch& launched,
                                   const std::vector<const network_kind*>& there);

/// Throws pure::Error (state) if the processes that were started are not those that were asked for (PURE_PROCESSES).
void check_launch(const settings& values, const process_launch& launched);

/// Chooses and opens. Blocks until all processes of the job have done so. Once in a process, on the thread that will
/// finalize it. `opening`: failed and context are the caller's, and what it wants to be other than usual; the number of
/// processes and the settings are filled in here. Throws pure::Error (state).
std::unique_ptr<network> open_network(const settings& values, const process_launch& launched, network_opening opening);

}  // namespace pure::core
