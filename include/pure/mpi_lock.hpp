// pure::mpi_lock: a scope in which a rank calls MPI itself.
#pragma once

#include <pure/call_site.hpp>
#include <pure/detail/library.hpp>

namespace pure {

/// While it lives, the rank that has made it may call the MPI over which the processes of its job are connected, and no
/// other thread of the process does: pure_mpi_lock and pure_mpi_unlock of pure.h, which say what holds meanwhile. Made
/// and destroyed by the same rank; a rank has one at a time. Throws pure::Error (errc::state).
class mpi_lock {
 public:
  explicit mpi_lock(call_site at = call_site::current()) { detail::lock_mpi(at); }
  ~mpi_lock() { detail::unlock_mpi(); }
  mpi_lock(const mpi_lock&) = delete;
  mpi_lock& operator=(const mpi_lock&) = delete;
};

}  // namespace pure
