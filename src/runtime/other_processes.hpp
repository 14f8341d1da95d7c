// The other processes of a job, as the runtime knows them: who has which ranks, and what has to be asked of the network
// at the start, in waits, and at the end. The layers above implement it (match/gateway.hpp); a job of one process has
// none.
#pragma once

#include "runtime/rank.hpp"
#include "runtime/rank_placement.hpp"

namespace pure::core {

class job;

class other_processes : public doorbell {
 public:
  other_processes(int process, rank_placement placement) : process_(process), placement_(std::move(placement)) {}
  other_processes(const other_processes&) = delete;
  other_processes& operator=(const other_processes&) = delete;
  virtual ~other_processes() = default;

  [[nodiscard]] int process() const noexcept { return process_; }
  /// The number of this machine, among those of the job.
  [[nodiscard]] virtual int host() const noexcept = 0;
  [[nodiscard]] const rank_placement& placement() const noexcept { return placement_; }
  [[nodiscard]] bool is_here(int rank) const noexcept { return placement_.process_of(rank) == process_; }

  /// Once, when the workers of the job have their services, before they run.
  virtual void attach(job& of) = 0;

  /// Moves the network on, unless another thread does so at the moment. True if something has happened. Any thread.
  virtual bool poll() = 0;
  /// The same for a thread that stands in for ranks which compute (progress_thread.hpp): large messages that no rank
  /// asks for are received all the same, PURE_ASYNC_PROGRESS_BYTES of them at most. True if something has happened, or
  /// is under way.
  virtual bool poll_for_busy_ranks() = 0;

  /// The mains of this process have all returned. By one thread, once.
  virtual void own_mains_have_returned() = 0;
  /// Those of all processes have, and every message between them has arrived. Any thread; all workers are notified when
  /// it becomes true.
  [[nodiscard]] virtual bool all_mains_have_returned() const noexcept = 0;

  /// Ends all processes of the job. Any thread, at any moment.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

 private:
  const int process_;
  const rank_placement placement_;
};

}  // namespace pure::core
