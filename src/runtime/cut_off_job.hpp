// An end of the process that would cut ranks off, by a thread that is no rank: a thread of the program's own, the main
// of a larger program whose pure::run is on another thread, a signal handler; also by functions of libc that call its
// own exit (err, error).
//
// libc would run the program's handlers and destructors beside ranks that use what these destroy, and the other
// processes of the job would hear nothing, or of a status of 0. So such an end is a failure of the job, like a rank's
// exit. In a child of this process (fork, vfork) no rank runs, and nothing here does anything.
#pragma once

#include <string>
#include <thread>
#include <utility>

namespace pure::core {

class job;

/// While it lives, ranks of the job run in this process.
class ranks_running {
 public:
  explicit ranks_running(job& of);
  ranks_running(const ranks_running&) = delete;
  ranks_running& operator=(const ranks_running&) = delete;
  ~ranks_running();

 private:
  job& of_;
};

/// In a child of this process, which has none of its ranks, but may run some of its own. By its only thread.
void jobs_were_left_behind() noexcept;

/// Whether an end of the process by the calling thread would cut ranks off.
[[nodiscard]] bool would_cut_off_ranks() noexcept;

/// "rank 1", "a thread that is no rank".
[[nodiscard]] std::string name_of_this_thread();

/// For a thread that is about to end the process with `status`, because of `cause`: "main returned 0". Ends the job
/// whose ranks that would cut off; returns if there is none.
void end_cut_off_job(const std::string& cause, int status);

/// The same for `function`(status) of a thread of any kind, rank or not, which may be in a signal handler, as _exit may
/// be: allocates nothing, takes no lock, and flushes nothing.
void end_cut_off_job_at_once(const char* function, int status) noexcept;

/// True for the first thread that ends this process, whose cause is printed; any other one waits for the end.
[[nodiscard]] bool is_first_to_end_process() noexcept;

/// What the rank of this process has to do before its process may end well, as a text that lasts for ever; null, which
/// is the rule: its main returns.
void ranks_end_by(const char* what) noexcept;
/// Behind a cause that would be a good end: that text; else an empty one. Any thread, also in signal handlers.
[[nodiscard]] const char* missing_end(int status) noexcept;

/// For the rank of this process, which leaves by the return of main or by exit. True: its missing end may still come,
/// from a handler or the destructor of a static object, as libraries for C++ have it; libc's exit has to run these.
/// Where none brings it, the job ends with `text`.
[[nodiscard]] bool may_end_at_exit(const std::string& text, int status);

/// Whether exit() has come to handlers that are older than the ranks, which it has let run.
[[nodiscard]] bool is_in_handlers_of_exit() noexcept;

/// What a job ends with that has not ended well: `status`, or 1 where that would look like success to who waits for the
/// process, which sees the lowest eight bits.
[[nodiscard]] constexpr int nonzero_status(int status) noexcept { return (status & 0xff) == 0 ? 1 : status; }

/// Whether the calling thread ends the process by order of the runtime (run_apart).
[[nodiscard]] bool ends_process_by_order() noexcept;
void end_process_by_order() noexcept;

/// Calls end(), by which the process ends through exit(): on a thread where that is libc's, and no rank's.
template <class End>
void run_apart(End end) noexcept {
  const auto by_order = [&end] {
    end_process_by_order();
    end();
  };
  try {
    std::thread(by_order).join();
  } catch (...) {  // no more threads
    by_order();
  }
}

}  // namespace pure::core
