// Collectives on a communicator (MPI 4.1, chapter 6): arguments checked, algorithm chosen, run or started.
//
// Called by the communicator's rank on its own thread. See <pure/detail/collectives.hpp> for the arguments. All throw
// pure::Error: root, buffer, mismatch; user operators must not throw.
#pragma once

#include <memory>

#include "base/call.hpp"
#include "coll/collective_staging.hpp"
#include "coll/operation.hpp"
#include "comm/communicator.hpp"
#include "match/handle_table.hpp"

namespace pure::core {

/// Blocking.
void run_collective(communicator& on, const call& by, const collective_arguments& what);
/// The handle of a request of the communicator's rank. `around`: of the request, until it ends; null: nothing.
handle start_collective(communicator& on, const call& by, const collective_arguments& what,
                        std::unique_ptr<collective_staging> around = nullptr);
handle make_persistent_collective(communicator& on, const call& by, const collective_arguments& what,
                                  std::unique_ptr<collective_staging> around = nullptr);

}  // namespace pure::core
