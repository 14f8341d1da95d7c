// By which a thread becomes a worker of a job, and stops being one: what the runtime keeps for a thread.
//
//   worker_on_this_thread   current_rank, known_thread, its place in the list of workers, a stack for signal handlers,
//                           how long it lives. A helper is that.
//   rank_on_this_thread     that, and stack traces of it; and the end of its main
//
// By the thread itself, from one end to the other. Whether the thread was made for the rank (rank_thread.hpp) or has
// been there before (adopted_rank.hpp) is nothing to them. What they hold is gone before the job hears of their end.
#pragma once

#include <cstdint>
#include <optional>

#include "hang/crash.hpp"
#include "hang/stack_traces.hpp"
#include "runtime/foreign_threads.hpp"
#include "runtime/rank.hpp"
#include "start/worker_threads.hpp"

namespace pure::core {

/// Whether top -H, gdb and perf shall show the thread as "rank 3". The main thread's name is that of the process.
enum class thread_name { own, of_rank };

/// What is left of main when the rank has ended: its frames are gone, or still there.
enum class frames_of_main { gone, kept };

/// For --stats and --trace: how long a worker lives, its main runs, and others have its cpu.
class lifetime_record {
 public:
  explicit lifetime_record(const rank_context& self) noexcept;
  lifetime_record(const lifetime_record&) = delete;
  lifetime_record& operator=(const lifetime_record&) = delete;
  ~lifetime_record();
  void main_has_returned() noexcept;

 private:
  activity* const log_;
  const std::int64_t start_ns_;
  const std::int64_t lost_before_ns_;
  const std::uint64_t preempted_before_;
};

class worker_on_this_thread {
 public:
  worker_on_this_thread(rank_context& self, thread_name name);
  worker_on_this_thread(const worker_on_this_thread&) = delete;
  worker_on_this_thread& operator=(const worker_on_this_thread&) = delete;
  /// In a forked child nothing of the job is touched: its other threads are not there.
  ~worker_on_this_thread();

  [[nodiscard]] lifetime_record& lifetime() noexcept { return has_->lifetime; }

 private:
  struct records {
    explicit records(rank_context& self) : listed(self), own_signal_stack(self), lifetime(self) {}
    const worker_thread listed;
    const crash_stack own_signal_stack;
    lifetime_record lifetime;
  };

  rank_context& self_;
  const known_thread known_;
  std::optional<records> has_;
};

class rank_on_this_thread {
 public:
  rank_on_this_thread(rank_context& self, thread_name name)
      : self_(self), worker_(self, name), traced_(self.thread().stack()) {}

  /// The rank's main has ended. Until all ranks have come here; at once if the job has failed.
  void end_main(frames_of_main frames);

 private:
  rank_context& self_;
  worker_on_this_thread worker_;
  const traced_thread traced_;
};

}  // namespace pure::core
