// What purerun has started, and what that has started: processes that are looked up in /proc when they are to get a
// signal.
//
// purerun is made the parent of those whose own parent has ended (a subreaper), so none of them is lost from sight.
#pragma once

#include <sys/types.h>

#include <vector>

namespace purerun {

struct process {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
};

/// Before the first process is started.
void keep_orphans() noexcept;

/// All processes below this one that have not ended, at this moment; none where there is no /proc.
std::vector<process> processes_below();

/// Ends all of them by SIGKILL, those too that they start meanwhile.
void kill_all_below();

}  // namespace purerun
