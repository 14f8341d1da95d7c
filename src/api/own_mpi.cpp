// The program's own calls of MPI, in pure.h and in the typed interface.
#include <pure.h>

#include <fmt/core.h>

#include <pure/detail/library.hpp>

#include "api/c_door.hpp"
#include "comm/group.hpp"
#include "runtime/job.hpp"

namespace pure::core {
namespace {

void lock(const call& by) {
  rank_context& rank = rank_of(by);
  mpi_lock& own_mpi = rank.owner().own_mpi();
  if (own_mpi.is_held_by(rank)) {
    throw_wrong_call(by, errc::state, fmt::format("it has the MPI already ({})", own_mpi.where_taken()));
  }
  own_mpi.take(rank, by);
}

}  // namespace
}  // namespace pure::core

using namespace pure::core;

int pure_mpi_lock(pure_call_site site) {
  const call by{"pure_mpi_lock", site};
  return c_door([&] { lock(by); });
}

int pure_mpi_unlock(pure_call_site site) {
  const call by{"pure_mpi_unlock", site};
  return c_door([&] {
    rank_context& rank = rank_of(by);
    mpi_lock& own_mpi = rank.owner().own_mpi();
    if (!own_mpi.is_held_by(rank)) {
      throw_wrong_call(by, pure::errc::state, "it has not got the MPI: pure_mpi_lock comes first");
    }
    own_mpi.give_back();
  });
}

namespace pure::detail {

void lock_mpi(pure_call_site site) { lock({"mpi_lock", site}); }

void unlock_mpi() noexcept {
  core::rank_context* const rank = core::self();
  if (rank != nullptr && rank->owner().own_mpi().is_held_by(*rank)) rank->owner().own_mpi().give_back();
}

}  // namespace pure::detail
