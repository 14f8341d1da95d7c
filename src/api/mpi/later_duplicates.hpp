// Duplicates of communicators that are there later, where the name of one is not given as the standard ABI has it (MPI
// 5.0, 7.4.2). Own thread of the rank only.
#pragma once

#include <functional>

#include "api/mpi/door.hpp"

namespace pure::core::mpi {

/// Gives the program the name of a communicator: null at once, and that of the duplicate before its request is
/// complete.
using name_giver = std::function<void(comm_handle made)>;

/// As MPI_Comm_idup_with_info. `newcomm`: the program's, which is only checked.
void start_duplicate_given(const call& by, communicator& comm, info_handle info, const void* newcomm,
                           const name_giver& give, handle* request);

}  // namespace pure::core::mpi
