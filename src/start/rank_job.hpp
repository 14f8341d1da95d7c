// A job in this process, in its stages: prepared, started, finished. What decides about it is a launch_plan; what runs,
// job (runtime/job.hpp).
//
//   places_of_job   where its ranks and helpers shall be; whether they fit
//   rank_job        prepared when it is made: the job, and who watches it
//   start()         a thread for each rank and helper; or start_helpers(), where the rank is a thread that exists
//                   already (adopted_rank.hpp)
//   wait()          until all have returned; meanwhile the watch over hangs, and the network
//   finish()        statistics, timeline, what was left over, and how it has ended
//
// By one thread, which is no rank meanwhile; wait() may be another's, who then is a known_thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hang/crash.hpp"
#include "machine/cpu_claims.hpp"
#include "machine/mapping.hpp"
#include "machine/topology.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/job.hpp"
#include "start/launch_plan.hpp"
#include "start/progress_thread.hpp"
#include "start/rank_thread.hpp"
#include "start/thread_starter.hpp"
#include "trace/trace_file.hpp"

namespace pure::core {

struct places_of_job {
  std::unique_ptr<const cpu_claims> claims;  // as long as the job runs
  std::unique_ptr<const topology> rest;      // of the machine, beside other jobs; null: they have none of it
  const topology& machine;
  std::vector<rank_place> all;  // of the ranks, then of the helpers
  int helpers = 0;
  std::size_t stack_bytes = 0;  // of each

  /// Shows the picture of bindings, if the plan asks for it. Throws pure::Error: no such mapping, or no room.
  static places_of_job of(const launch_plan& plan);
  /// The same for one rank here, a thread of the program's: which is bound to nothing by us, unless the plan says so.
  static places_of_job of_adopted_rank(const launch_plan& plan);
};

class rank_job {
 public:
  /// The plan, the places and the timeline (null: none is asked for) outlive it. `attach_services`: as for run_ranks().
  /// Throws pure::Error, std::bad_alloc.
  rank_job(const launch_plan& plan, const places_of_job& places, trace_file* timeline,
           const std::function<void(rank_context&)>& attach_services);
  rank_job(const rank_job&) = delete;
  rank_job& operator=(const rank_job&) = delete;

  /// `body` outlives it. If a thread cannot be started, the job has failed, and finish() says so.
  void start(const std::function<int(rank_context&)>& body);
  /// The same, for a rank that gets no thread: the first worker, which returns by rank_returned() however this ends.
  void start_helpers();
  [[nodiscard]] rank_context& first_worker() const noexcept { return running_.worker(0); }
  [[nodiscard]] job& running() noexcept { return running_; }
  /// Of a rank that has no thread of ours.
  void note_status(int status) noexcept { threads_.front().status = status; }

  void wait() { running_.wait_for_ranks(); }
  /// When all have returned.
  outcome finish();

 private:
  void start_from(std::size_t first, const std::function<int(rank_context&)>& body);
  [[nodiscard]] outcome outcome_of_mains() const;

  const launch_plan& plan_;
  const places_of_job& places_;
  trace_file* const timeline_;
  job running_;
  const crash_reports watching_;
  std::optional<ranks_running> cuttable_;
  std::vector<rank_thread> threads_;  // by worker
  std::optional<progress_thread> progress_;
  thread_starter starter_;
};

}  // namespace pure::core
