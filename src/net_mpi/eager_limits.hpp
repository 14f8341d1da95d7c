// How long a message may be that an MPI sends at once, without asking the receiver's process first: MPIs ask early, for
// their own sake, and that is a large part of what a message of some KB takes. Pure raises the limits of an MPI that it
// starts itself; what the user has set stays.
#pragma once

#include <cstddef>

#include "network/network.hpp"

namespace pure::net_mpi {

/// Before MPI_Init: by environment variables, which is how MPIs are told. Not thread-safe.
void raise_eager_limits(const core::network_opening& opening);

/// After MPI_Init: up to which length messages go at once through shared memory. 0: this MPI does not say.
std::size_t known_eager_bytes();

}  // namespace pure::net_mpi
