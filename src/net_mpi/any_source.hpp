// An MPI's receives from any source, tried before Pure relies on them.
#pragma once

#include <mpi.h>

namespace pure::net_mpi {

/// A call of MPI that may have failed.
struct mpi_result {
  int error = MPI_SUCCESS;
  const char* call = "";
};

/// Whether a receive from any source is never complete if its message was there before it, as in MPICH 4.3 to 5.0.2
/// over UCX between processes that do not share memory (docs/mpi_faults.md). It is tried between those processes that
/// are the first on their machine: `leads` says whether this is one of them, and `next` is the one after it in a ring
/// of them. The answer is the same everywhere. Collective; where it is so, one receive stays behind in `among`.
mpi_result loses_what_was_there(MPI_Comm among, bool leads, int next, bool& loses);

}  // namespace pure::net_mpi
