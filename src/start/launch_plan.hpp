// What is decided about a job before it starts, and how it has ended.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "machine/topology.hpp"
#include "runtime/job.hpp"
#include "runtime/process_meeting.hpp"
#include "trace/trace_file.hpp"

namespace pure::core {

struct launch_plan {
  settings values;
  int ranks = 0;  // 0: as the settings say, or one per core that the process may use
  failure_action action = failure_action::throw_to_caller;
  other_processes* others = nullptr;   // of a job of several processes; its placement says how many ranks there are
  process_meeting* meeting = nullptr;  // of the same: these processes while there are no ranks
  trace_file* timeline = nullptr;      // of the same, if `values` ask for one
  const topology* machine = nullptr;   // what of this machine the ranks may use; null: all that the process may
  bool shares_cores = false;           // the ranks of all processes here are more than the cores
  bool has_own_cores = true;           // no other process here runs on them, if no file places the ranks
  std::vector<int> ranks_beside = {};  // those of other processes on this machine
  bool binds_adopted = false;          // a rank that is there already is bound, too: somebody has asked for a mapping
};

/// How a job ended. If it failed: a text for people that names the rank, and what to throw at the caller.
struct outcome {
  int status = 0;  // the first non-zero value, by rank, that `body` returned, as nonzero_status(); or the failure's
  std::string failure_text;
  std::exception_ptr failure;
};

}  // namespace pure::core
