// The program's own calls of MPI, in the typed interface.
#include <pure/detail/library.hpp>

#include "api/cpp/boundary.hpp"
#include "runtime/job.hpp"
#include "task/calling_rank.hpp"

namespace pure::detail {

failure* pure_cxx_lock_mpi(pure_call_site site) {
  return at_boundary([&] {
    const core::call by{"mpi_lock", site};
    core::rank_context& rank = core::rank_of(by);
    rank.owner().own_mpi().take(rank, by);
  });
}

void pure_cxx_unlock_mpi() noexcept {
  core::rank_context* const rank = core::self();
  if (rank != nullptr && rank->owner().own_mpi().is_held_by(*rank)) rank->owner().own_mpi().give_back();
}

}  // namespace pure::detail
