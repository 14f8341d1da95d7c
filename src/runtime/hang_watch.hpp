// The watch over a running job, kept by the thread that waits for its ranks: hangs of some ranks while others run, the
// warnings of PURE_HANG_TIMEOUT, and the answers to `pure attach`. (When all ranks wait, one of them finds that itself:
// job::look_for_deadlock().)
//
// The thread sleeps while no worker is parked; while one is, it looks every half second. In a job of several processes
// it also wakes twice a second while all compute, so that other processes are heard; what waits for ever is then found
// by all of them together (hang_witness.hpp, hang_inquiry.hpp). In one of a single process, a job ends for ranks that
// are stuck for ever only when two such looks have found them in the same sleep. With foreign threads in the process
// (foreign_threads.hpp) it never does: then every hang is a warning, after 10 s or PURE_HANG_TIMEOUT.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/alarm_pace.hpp"
#include "runtime/attach_point.hpp"
#include "runtime/hang_inquiry.hpp"
#include "runtime/hang_witness.hpp"
#include "runtime/rank_state.hpp"
#include "runtime/warning_pace.hpp"

namespace pure::core {

class job;

class hang_watch {
 public:
  static constexpr std::int64_t between_looks_ns = 500'000'000;

  explicit hang_watch(job& watched) noexcept;
  hang_watch(const hang_watch&) = delete;
  hang_watch& operator=(const hang_watch&) = delete;
  ~hang_watch();

  // ---- any thread ----

  /// Something has happened that the waiting thread should look at.
  void ring() noexcept;
  /// Work for the network has been left for whoever polls next: if nobody does, this thread shall, soon: after 50 us,
  /// so that it does not take the core from whoever leaves more, and after up to 1 ms while it has found nothing to do
  /// the times before. After a sequentially consistent fence that follows what says that there is work.
  void look_at_network_soon() noexcept;
  /// A worker sleeps. After a sequentially consistent fence that follows its change of state.
  void worker_has_parked() noexcept {
    // relaxed: the fences order it. Either this sees that the watch sleeps, or the watch has seen the parked worker.
    if (watch_sleeps_.load(std::memory_order_relaxed)) [[unlikely]]
      wake_watch();
  }

  // ---- the thread that waits for the ranks ----

  /// Watches until the next ring, or for some time.
  void wait();
  /// Only waits: for the next ring, `most_ns` at most.
  void wait_only(std::int64_t most_ns) noexcept;

  /// One look, for tests: wait() calls it.
  void look();

 private:
  void wake_watch() noexcept;
  [[nodiscard]] std::int64_t time_to_sleep_ns() noexcept;
  [[nodiscard]] std::vector<int> certainly_stuck(std::vector<rank_state> ranks);
  void warn_of_long_waits(const std::vector<rank_state>& ranks, int foreign);
  bool sleep(std::int64_t most_ns, int attached) noexcept;
  [[nodiscard]] std::string place_in_job() const;
  [[nodiscard]] bool is_asked() const noexcept;
  void read_letters();

  job& job_;
  const int bell_;   // an eventfd; -1: there is none, and sleeps are short
  const int alarm_;  // a timerfd; -1: there is none, and the bell serves
  std::optional<attach_point> attached_;
  std::int64_t started_ns_;
  std::int64_t next_look_ns_ = 0;
  std::uint64_t polls_seen_ = 0;  // by ranks, of the network
  std::int64_t until_poll_ns_ = 0;
  std::vector<std::pair<int, std::uint32_t>> suspects_;  // ranks that were stuck at the last look, and in which sleep
  warning_pace warnings_;
  std::optional<hang_witness> witness_;  // of a job of several processes
  std::optional<hang_inquiry> inquiry_;  // of its process 0
  std::atomic<bool> watch_sleeps_{false};
  std::atomic<bool> alarm_is_set_{false};
  alarm_pace alarm_pace_;
};

}  // namespace pure::core
