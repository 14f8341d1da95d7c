// The topologies of communicators, for the bodies that use them. Own thread of the rank only.
#pragma once

#include "api/mpi/door.hpp"
#include "objects/topology_call.hpp"

namespace pure::core::mpi {

/// A new communicator that was made from another one; null: this rank gets none.
void give_made(const communicator& from, const communicator* made, comm_handle* to);

}  // namespace pure::core::mpi
