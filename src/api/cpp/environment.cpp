// A rank that the program begins and ends itself, in the typed interface.
#include <pure/detail/library.hpp>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "api/cpp/boundary.hpp"
#include "comm/communicator_table.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"
#include "start/calling_rank.hpp"
#include "task/calling_rank.hpp"

namespace pure::detail {

failure* pure_cxx_begin_calling_rank(pure_call_site site) {
  return at_boundary([&] { core::begin_calling_rank({"environment", site}, core::failure_action::end_process); });
}

void pure_cxx_end_calling_rank(pure_call_site site, bool is_passed_by_exception) noexcept {
  const core::call by{"~environment", site};
  core::rank_context* const rank = core::self();
  if (is_passed_by_exception && rank != nullptr) {
    rank->owner().fail(core::text_of_error(by, fmt::format("rank {}: an exception leaves the scope in which the thread "
                                                           "is this rank; catch it inside",
                                                           rank->number())),
                       1);
  }
  try {
    core::end_calling_rank(by, 0);
  } catch (const Error& error) {
    core::end_process(error.what(), 1);
  }
}

failure* pure_cxx_world_of_calling_rank(pure_call_site site, core::communicator** world) {
  return at_boundary([&] { *world = &core::communicator_table::of(core::rank_of({"world", site})).world(); });
}

}  // namespace pure::detail
