// Collectives on a communicator (MPI 4.1, chapter 6): arguments checked, algorithm chosen, run or started.
//
// Called by the communicator's rank on its own thread. See <pure/detail/collectives.hpp> for the arguments. All throw
// pure::Error: root, buffer, mismatch; user operators must not throw.
#pragma once

#include "base/call.hpp"
#include "coll/operation.hpp"
#include "comm/communicator.hpp"
#include "match/handle_table.hpp"

namespace pure::core {

/// Blocking.
void run_collective(communicator& on, const call& by, const collective_arguments& what);
/// The handle of a request of the communicator's rank.
handle start_collective(communicator& on, const call& by, const collective_arguments& what);
handle make_persistent_collective(communicator& on, const call& by, const collective_arguments& what);

}  // namespace pure::core
