// A job: the ranks of one run, its helper threads, and how it ends.
//
// Ranks are numbered 0..size()-1; helpers, which have no rank but the same wait and the same tasks, follow them. Some
// of the ranks may be in other processes (other_processes.hpp): for them a proxy is notified (proxy.hpp). Those of this
// process and its helpers are the workers, with indices of their own.
//
// A job ends well when every rank has returned. It ends badly with the first failure that anyone reports; later ones
// are dropped. What happens then is the action given at the start:
//   end_process      (programs whose main is run by every rank): print the cause, flush stdio, _exit.
//   throw_to_caller  (pure::run inside a program): ranks that wait leave their waits by an exception, and pure::run
//                    throws the cause when all have left. A rank that does not come within grace_ns, because it
//                    computes or sleeps, ends the process as above: it cannot be stopped otherwise.
//
// In the second case ranks touch each other's memory (copies from a sender's buffer) until the very moment they
// learn of the failure. So nobody unwinds, and frees such memory, before every live rank has stopped: leave() is a
// barrier.
// Modelled by tests/model/park.pml.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <pure/detail/failure.hpp>
#include <pure/error.hpp>

#include "base/settings.hpp"
#include "machine/huge_pages.hpp"
#include "machine/mapping.hpp"
#include "runtime/job_failure.hpp"
#include "runtime/monitor.hpp"
#include "runtime/mpi_lock.hpp"
#include "runtime/other_processes.hpp"
#include "runtime/parked_count.hpp"
#include "runtime/rank.hpp"
#include "runtime/ranks_by_number.hpp"

namespace pure::core {

enum class failure_action { throw_to_caller, end_process };

class job final : public sleep_listener {
 public:
  static constexpr std::int64_t grace_ns = 2'000'000'000;

  /// Makes `patience_of.size()` workers, the last `helpers` of them helpers; `attach_services` attaches the services of
  /// the upper layers to each. `places`: where the workers run, if known. `others`: with whose placement the workers
  /// are ranks; outlives the job. Its failures end the process: the other ones cannot be told to unwind.
  job(settings values, const std::vector<wait_policy>& patience_of, failure_action action,
      const std::function<void(rank_context&)>& attach_services, int helpers = 0, std::vector<rank_place> places = {},
      other_processes* others = nullptr);
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  ~job();

  /// How many ranks there are, in all processes.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// A rank of this process.
  [[nodiscard]] rank_context& at(int number) const noexcept { return by_number_.at(number); }
  /// Who is notified for a rank, wherever it is: its waiter, or the proxy of its process.
  [[nodiscard]] notified& notified_for(int number) const noexcept { return by_number_.notified_for(number); }
  /// Null for a job of one process.
  [[nodiscard]] other_processes* others() const noexcept { return others_; }
  [[nodiscard]] bool is_here(int number) const noexcept { return others_ == nullptr || others_->is_here(number); }

  /// The ranks of this process, then its helpers, by index.
  [[nodiscard]] int workers() const noexcept { return workers_count_; }
  [[nodiscard]] int ranks_here() const noexcept { return ranks_here_; }
  [[nodiscard]] rank_context& worker(int index) const noexcept { return *workers_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] bool is_helper(const rank_context& who) const noexcept { return who.number() >= size_; }
  /// "rank 3", "helper 0".
  [[nodiscard]] std::string name_of(const rank_context& who) const;
  /// Null if it is not known.
  [[nodiscard]] const rank_place* place_of(const rank_context& who) const noexcept;
  [[nodiscard]] const settings& values() const noexcept { return settings_; }
  /// Null unless PURE_HUGE_PAGES asks for them. For what lives as long as the job.
  [[nodiscard]] huge_pages* pages() const noexcept { return pages_.get(); }
  [[nodiscard]] parked_count& ranks_alive() noexcept { return parked_; }
  /// For the program's own calls of MPI.
  [[nodiscard]] mpi_lock& own_mpi() noexcept { return own_mpi_; }

  /// True once the job has failed. Waits test it every few polls.
  [[nodiscard]] bool ending() const noexcept { return failure_.is_told(); }

  /// Who looks at the ranks while they run, and explains deadlocks. Before the ranks start.
  void observe_by(std::unique_ptr<job_observer> observer) noexcept { observer_ = std::move(observer); }

  /// Something to do before a failed job ends its process, by the thread that does so. Before the ranks start.
  void before_process_ends(std::function<void()> action) { before_process_ends_ = std::move(action); }

  /// Reports a failure: `text` is the message for people, `status` the exit status (1 if a parent would see 0),
  /// `thrown` what pure::run throws (null: a pure::Error with the text). The first report wins, except that an
  /// exception which was already unwinding a rank when it got caught in a deadlock is the earlier cause. Returns only
  /// in throw_to_caller jobs. Any thread.
  void fail(const std::string& text, int status, std::exception_ptr thrown = nullptr);

  /// The same where there is no memory: text() says so, and may find none either. What pure::run throws is an Error of
  /// kind no_memory. Any thread.
  template <class Text>
  void fail_without_memory(Text text) noexcept {
    try {
      const std::string said = text();
      fail(said, 1, std::make_exception_ptr(Error(errc::no_memory, said)));
    } catch (const std::bad_alloc&) {
      fail("out of memory", 1, std::make_exception_ptr(std::bad_alloc()));
    }
  }

  /// The same for ranks that wait for ever: the text explains it. Any thread.
  void fail_by_deadlock(const std::string& text) { fail(text, 1, nullptr, true); }

  /// For a rank that finds the job ending: stops, and waits for all live ranks to stop. Afterwards nobody touches
  /// memory of this rank, and its services have forgotten theirs.
  void stop_together(rank_context& stopping);

  /// The same inside a wait: then throws job_ended.
  [[noreturn]] void leave(rank_context& leaving);

  /// For the thread that started the ranks: returns when all have returned, and meanwhile keeps watch (hang/watch.hpp).
  /// Ends the process if that takes more than grace_ns after a failure.
  void wait_for_ranks();

  /// For a rank whose main has returned: does others' work until all mains have returned, and moves on what this rank
  /// has pending. Returns early if the job fails.
  void wait_for_all_mains(rank_context& done);

  /// For a helper: does others' work until all mains have returned, or the job fails.
  void help_until_end(rank_context& helper);

  /// For a rank whose function has returned or thrown: nobody may wait for it from now on. Also for a helper's end.
  void rank_returned(rank_context& ended);

  /// For a worker that has just parked.
  void worker_has_parked() override {
    look_for_deadlock();
    monitor_.worker_has_parked();
  }

  /// In a job of one process: fails it if no live rank can ever run again, and no foreign thread (foreign_threads.hpp)
  /// is there to count on. Called by a rank that has just parked, or has ended; and by the watch, since foreign threads
  /// come and go. True if all live ranks wait.
  bool look_for_deadlock();

  /// True if all live workers of this process slept at one moment. Any thread.
  [[nodiscard]] bool all_workers_sleep() const;

  /// Other processes have told this one something (other_processes::take_control_messages). Any thread.
  void control_messages_have_come() noexcept { monitor_.ring(); }
  /// Messages to other processes have been left for whoever polls, and the ranks may compute.
  void network_needs_a_look() noexcept { monitor_.look_at_network_soon(); }

  /// A worker has crashed, and waits for its observer to look (job_observer::look_at_crash). In a signal handler.
  void worker_has_crashed() const noexcept { monitor_.ring(); }

  /// How a thread is started that moves messages between processes on while ranks compute. Before the ranks start.
  void make_progress_by(std::function<void()> start) { start_progress_ = std::move(start); }
  /// Starts it, unless it runs. Any thread. Throws pure::Error if there can be no thread.
  void make_progress() {
    std::call_once(progress_started_, [&] {
      if (start_progress_) start_progress_();
    });
  }

  /// What tells how many foreign threads there are; none is asked for if this is never called. Before the ranks start.
  void count_foreign_threads(int (*count)() noexcept) noexcept { count_foreign_ = count; }
  [[nodiscard]] int foreign_threads() const noexcept { return count_foreign_ != nullptr ? count_foreign_() : 0; }

  [[nodiscard]] failure_action action() const noexcept { return action_; }
  /// The cause, after ending(): its text, its status, and what to throw.
  [[nodiscard]] const std::string& failure_text() const noexcept { return failure_.what().text; }
  [[nodiscard]] int failure_status() const noexcept { return failure_.what().status; }
  [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_.what().thrown; }

 private:
  void make_workers(const std::vector<wait_policy>& patience_of);
  [[noreturn]] void end_all_processes(const std::string& text, int status);
  void wait_for_last_main(rank_context& waiting, const wait_reason& why);
  void stop_touching_memory(rank_context& stopping);
  void fail(const std::string& text, int status, std::exception_ptr thrown, bool is_deadlock);
  [[noreturn]] void end_process_after_grace() const;

  const settings settings_;
  other_processes* const others_;
  const failure_action action_;
  const int ranks_here_;
  const int size_;
  const int workers_count_;
  const std::vector<rank_place> places_;
  parked_count parked_;
  const std::unique_ptr<huge_pages> pages_;  // outlives the services of the ranks, whose rings are there
  std::vector<std::unique_ptr<rank_context>> workers_;
  ranks_by_number by_number_;
  std::function<void()> before_process_ends_;
  int (*count_foreign_)() noexcept = nullptr;
  std::function<void()> start_progress_;
  std::once_flag progress_started_;
  job_failure failure_;
  std::mutex returning_;  // guards running_
  int running_;           // workers whose function has not returned
  std::atomic<int> mains_running_;
  std::atomic<int> still_touching_;  // live ranks that have not stopped after a failure
  mpi_lock own_mpi_{*this};
  monitor monitor_{*this};
  std::unique_ptr<job_observer> observer_;
};

/// Prints `text` as the cause of the end and leaves the process, flushing stdio if that does not block. Any thread.
[[noreturn]] void end_process(const std::string& text, int status);

}  // namespace pure::core
