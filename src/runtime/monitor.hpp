// What the thread that waits for the ranks of a job does meanwhile: it sleeps, wakes for what has been left for it,
// polls the network while workers sleep, and lets an observer look at the ranks twice a second.
//
// The thread sleeps until somebody rings while no worker is parked. In a job of several processes it also wakes twice a
// second while all compute, so that other processes are heard.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/guarded_descriptor.hpp"
#include "runtime/alarm_pace.hpp"

namespace pure::core {

class job;

/// Who looks at a running job: hangs, warnings, `pure attach` (hang/watch.hpp). All of it but deadlock_report() is
/// called by the thread that waits for the ranks.
class job_observer {
 public:
  job_observer() = default;
  job_observer(const job_observer&) = delete;
  job_observer& operator=(const job_observer&) = delete;
  virtual ~job_observer() = default;

  /// Twice a second while workers sleep.
  virtual void look() = 0;
  /// The thread was woken, perhaps by a worker that has crashed.
  virtual void look_at_crash() = 0;
  /// The processes of the job have been polled for: reads what they have told this one (job::others()).
  virtual void read_control_messages() = 0;
  /// Other processes want answers: the thread should not sleep for long.
  [[nodiscard]] virtual bool is_asked() const noexcept = 0;
  /// Readable when somebody outside asks about the job; -1: never.
  [[nodiscard]] virtual int descriptor() = 0;
  /// Answers whoever has asked there.
  virtual void answer() = 0;

  /// All live ranks of a job of one process wait: the text of the error that ends it. By the rank that parked last.
  [[nodiscard]] virtual std::string deadlock_report() = 0;
};

class monitor {
 public:
  static constexpr std::int64_t between_looks_ns = 500'000'000;

  explicit monitor(job& watched) noexcept;
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  ~monitor();

  // ---- any thread ----

  /// Something has happened that the waiting thread should look at. Also in signal handlers.
  void ring() const noexcept;
  /// Work for the network has been left for whoever polls next: if nobody does, this thread shall, soon, but not at
  /// once, so that it does not take the core from whoever leaves more, and later while it has found nothing to do the
  /// times before (D-alarm-pace). After a sequentially consistent fence that follows what says that there is work.
  void look_at_network_soon() noexcept;
  /// A worker sleeps. After a sequentially consistent fence that follows its change of state.
  void worker_has_parked() noexcept {
    // relaxed: the fences order it. Either this sees that the monitor sleeps, or the monitor has seen the parked
    // worker.
    if (is_asleep_.load(std::memory_order_relaxed)) [[unlikely]]
      wake();
  }

  // ---- the thread that waits for the ranks ----

  /// Until the next ring, or for some time. `observer`: may be null.
  void wait(job_observer* observer);
  /// Only waits: for the next ring, `most_ns` at most.
  void wait_only(std::int64_t most_ns) noexcept;

 private:
  void wake() noexcept;
  [[nodiscard]] std::int64_t time_to_sleep_ns(const job_observer* observer) noexcept;
  bool sleep(std::int64_t most_ns, int descriptor) noexcept;

  job& job_;
  const guarded_descriptor bell_;   // an eventfd; none: sleeps are short
  const guarded_descriptor alarm_;  // a timerfd; none: the bell serves
  std::int64_t next_look_ns_ = 0;
  std::uint64_t polls_seen_ = 0;  // by ranks, of the network
  std::int64_t until_poll_ns_ = 0;
  bool is_rung_by_others_ = false;  // when they have something: no need to look before
  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> alarm_is_set_{false};
  alarm_pace alarm_pace_;
};

}  // namespace pure::core
