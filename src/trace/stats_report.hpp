// --stats: what each rank of a job did, as a table in text.
#pragma once

#include "runtime/job.hpp"
#include "runtime/process_meeting.hpp"

namespace pure::core {

/// On stderr: the workers of all processes, the sums over all. For a job that keeps logs, when all its workers have
/// returned. `all`: the processes of a job of several, each of which calls this; only process 0 says something.
void report_stats(const job& ended, process_meeting* all);

/// The same of a job that has failed: what the workers of this process have done until now. They may still run. Any
/// thread.
void report_stats_of_failed(const job& failed);

}  // namespace pure::core
