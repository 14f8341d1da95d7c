// The watch over a running job: hangs of some ranks while others run, the warnings of PURE_HANG_TIMEOUT, and the
// answers to `pure attach`. (When all ranks wait, one of them finds that itself: job::look_for_deadlock().)
//
// It looks when the monitor says so (runtime/monitor.hpp): every half second while a worker is parked. In a job of
// several processes, ranks that wait for ever are found by all of them together (hang/reporter.hpp,
// hang/coordinator.hpp). One of a single process ends for ranks that are stuck for ever only when two such looks have
// found them in the same sleep. With foreign threads in the process (foreign_threads.hpp) every hang is a warning,
// after 10 s or PURE_HANG_TIMEOUT, and ends the job when it has lasted for PURE_HANG_ENDS, if that is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hang/attach_point.hpp"
#include "hang/coordinator.hpp"
#include "hang/rank_state.hpp"
#include "hang/reporter.hpp"
#include "hang/warning_pace.hpp"
#include "runtime/monitor.hpp"

namespace pure::core {

class hang_watch final : public job_observer {
 public:
  explicit hang_watch(job& watched) noexcept;

  void look() override;
  void look_at_crash() override;
  void read_control_messages() override;
  [[nodiscard]] bool is_asked() const noexcept override;
  [[nodiscard]] int descriptor() override;
  void answer() override;
  [[nodiscard]] std::string deadlock_report() override;

 private:
  [[nodiscard]] std::vector<int> certainly_stuck(std::vector<rank_state> ranks);
  [[nodiscard]] bool is_time_to_end(const std::vector<rank_state>& ranks, std::vector<int> stuck) const;
  void warn_of_long_waits(const std::vector<rank_state>& ranks, int foreign);
  [[nodiscard]] std::string place_in_job() const;

  job& job_;
  std::optional<attach_point> attached_;
  const std::int64_t started_ns_;
  std::vector<std::pair<int, std::uint32_t>> suspects_;  // ranks that were stuck at the last look, and in which sleep
  warning_pace warnings_;
  std::optional<hang_reporter> reporter_;        // of a job of several processes
  std::optional<hang_coordinator> coordinator_;  // of its process 0
};

}  // namespace pure::core
