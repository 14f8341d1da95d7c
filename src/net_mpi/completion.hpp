// How requests of an MPI are looked at and let go of, where the obvious call costs more than it need.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace pure::net_mpi {

/// Whether it is complete; if so, let_go() must follow, at some time. MPI_Test of MPICH drives all of MPI even for a
/// request that is complete, which takes a system call over TCP; and so it would where the send before has just brought
/// an answer in. (In Open MPI it is MPI_Test that looks first, and MPI_Request_get_status has a fence.)
inline int look_at(MPI_Request& request, int& is_done, MPI_Status& status) {
#ifdef OPEN_MPI
  return MPI_Test(&request, &is_done, &status);
#else
  return MPI_Request_get_status(request, &is_done, &status);
#endif
}

/// A request that is complete, or null, or inactive: returns at once.
inline int let_go([[maybe_unused]] MPI_Request& request) {
#ifdef OPEN_MPI
  return MPI_SUCCESS;
#else
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

/// What a receive of MPI_BYTE has got: MPI_Get_count, which takes 82 instructions in MPICH, between a message and its
/// receiver. MPICH's layout is that of its ABI initiative.
template <class Status>
std::size_t bytes_received(const Status& status) {
  if constexpr (requires { status.count_lo, status.count_hi_and_cancelled; }) {
    const auto high = static_cast<std::size_t>(static_cast<unsigned>(status.count_hi_and_cancelled) >> 1U);
    return (high << 32U) | static_cast<unsigned>(status.count_lo);
  } else if constexpr (requires { status._ucount; }) {
    return status._ucount;
  } else {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return static_cast<std::size_t>(bytes);
  }
}

}  // namespace pure::net_mpi
