// Duplicates of communicators that are there later (MPI 5.0, 7.4.2, MPI_Comm_idup). Own thread of the rank only.
//
// All ranks know the members. What they have to learn is the new contexts: rank 0 takes them, and broadcasts them, as a
// collective on the communicator that is duplicated.
#pragma once

#include <functional>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "match/handle_table.hpp"

namespace pure::core {

/// A request. take(made): once, on this thread, before the request is complete; a call that waits for something else
/// may be the one that does it. Throws state, no_memory.
handle start_duplicate(communicator& from, const call& by, std::function<void(communicator&)> take);

}  // namespace pure::core
