// Starting a job: one pinned thread per rank, from the first instruction of its function to the last.
//
// run_ranks may be called by any thread that is not a rank, any number of times, also by several threads at once.
#pragma once

#include <functional>

#include "runtime/rank.hpp"
#include "start/launch_plan.hpp"

namespace pure::core {

// What comes before any job, in this order: a thread that may start ranks, and settings that can be; then the process
// is told. `caller`: for the error, a pure::Error.
void prepare_to_run(const launch_plan& plan, const char* caller);
void ranks_start_now(const launch_plan& plan);

/// Runs `body` on every rank and returns when all have returned. `attach_services` attaches the upper layers' services.
/// Throws pure::Error for an impossible plan.
outcome run_ranks(const launch_plan& plan, const std::function<void(rank_context&)>& attach_services,
                  const std::function<int(rank_context&)>& body);

}  // namespace pure::core
