// The processes of a host that reach each other through memory which they share, in a job whose network is an MPI's.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "network/network.hpp"
#include "network/process_launcher.hpp"
#include "network/two_level_network.hpp"

namespace pure::core {

/// Where some host has several processes, which net_shm does not connect already: has shared memory connect these, if
/// that is wanted (PURE_NEAR_NETWORK) and possible; else `over` stays as it is. Collective, before anything else has
/// begun over it. `opening`: as it was for `over`; its failures go to `failure`.
void add_near_network(std::unique_ptr<network>& over, const settings& values, const process_launch& launched,
                      const network_opening& opening, const std::shared_ptr<const shared_failure>& failure);

}  // namespace pure::core
