// pure.h: the program's own calls of MPI.
#include <pure.h>

#include "api/c/door.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

using namespace pure::core;

int pure_mpi_lock(pure_call_site site) {
  return c_call(site, [&](const call& by) {
    rank_context& rank = rank_of(by);
    rank.owner().own_mpi().take(rank, by);
  });
}

int pure_mpi_unlock(pure_call_site site) {
  return c_call(site, [&](const call& by) {
    rank_context& rank = rank_of(by);
    mpi_lock& own_mpi = rank.owner().own_mpi();
    if (!own_mpi.is_held_by(rank)) {
      throw_wrong_call(by, pure::errc::state, "it has not got the MPI: pure_mpi_lock comes first");
    }
    own_mpi.give_back();
  });
}
