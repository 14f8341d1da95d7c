// The other processes of this one's job: who has started them, the network to them, and the gateway of each run.
#pragma once

#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "gateway/gateway.hpp"
#include "start/launch.hpp"

namespace pure::core {

/// What a job needs that has several processes; nothing of it is set for one of a single process.
struct connected_processes {
  std::unique_ptr<gateway> others;
  std::unique_ptr<topology> machine;     // as much of it as is this process's
  std::unique_ptr<trace_file> timeline;  // if one is asked for
  process_meeting* meeting = nullptr;
  bool shares_cores = false;      // there are fewer cores than ranks of all processes here
  bool has_own_cores = true;      // `machine` has none that another process has, too
  std::vector<int> ranks_beside;  // of other processes of this machine
};

/// Blocks until all processes of the job have called it, the first time until they are connected. `ranks`: of the job;
/// 0: as many as the processes have cores. Throws pure::Error: started by the wrong launcher, no network, processes
/// that want different things.
connected_processes connect_processes(const settings& values, int ranks);

/// This process's part of a job, from the meeting of all its processes to the end: whatever runs meanwhile uses the
/// network, and the process cannot leave the others in order. One at a time.
class connected_job {
 public:
  /// As connect_processes().
  connected_job(const settings& values, int ranks);
  connected_job(const connected_job&) = delete;
  connected_job& operator=(const connected_job&) = delete;
  ~connected_job();

  /// Adds what a job of several processes needs, which is here as long as this.
  void complete(launch_plan& plan) const;

 private:
  class network_use {
   public:
    network_use() noexcept;
    network_use(const network_use&) = delete;
    network_use& operator=(const network_use&) = delete;
    ~network_use();
  };

  const network_use used_;  // first: it comes to its end however connecting ends
  const connected_processes connected_;
};

/// For a process that leaves without running handlers, while no rank runs in it: it has ended its part in the job. In a
/// signal handler, too. (The launcher of an MPI that connects the processes takes it for a failure all the same.)
void leave_processes_at_once() noexcept;

/// For a process that is about to exit, after its part in the job: as its handler of exit does, which has run before.
void leave_processes(int status);

/// How many processes have been started together with this one, by its environment. Throws pure::Error.
int processes_started();

/// run_ranks() for all processes of the job: here its share of the ranks.
outcome run_ranks_of_all_processes(launch_plan plan, const std::function<void(rank_context&)>& attach_services,
                                   const std::function<int(rank_context&)>& body);

}  // namespace pure::core
