#include "purerun/own_processes.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include <fmt/core.h>

#include "base/owned_descriptor.hpp"
#include "purerun/exec_image.hpp"
#include "purerun/joined_process.hpp"
#include "purerun/process_tree.hpp"
#include "purerun/program.hpp"
#include "purerun/signal_desk.hpp"

namespace purerun {
namespace {

using clock = std::chrono::steady_clock;
using pure::core::owned_descriptor;

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

std::vector<std::string> joined_with(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Which process could not become the program, and why.
struct exec_failure {
  int process = 0;
  int error = 0;
};

class running_job {
 public:
  explicit running_job(const job_to_run& what)
      : what_(what), pids_(what.of_each.size(), 0), ends_(pids_.size(), 0), programs_(pids_.size()) {}

  // All of them, or none: then it throws.
  void start(const sigset_t& signals) {
    const owned_descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) fail("processes cannot be started without a pipe (ulimit -n?)");
    const owned_descriptor from(pipe_ends[0]);
    owned_descriptor to(pipe_ends[1]);
    const pid_t self = getpid();
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      const std::vector<std::string> environment = joined_with(what_.environment, what_.of_each[i]);
      const exec_image program(what_.path, what_.command, environment);
      std::optional<pure::core::cpu_mask> cpus;
      if (!what_.cpus_of_each.empty()) cpus.emplace(what_.cpus_of_each[i]);
      const pid_t child = fork();
      if (child < 0) {
        const int error = errno;
        kill_all_below();
        errno = error;
        fail(fmt::format("process {} of {} cannot be started (ulimit -u?)", i, pids_.size()));
      }
      if (child == 0) {
        become(program, {.parent = self,
                         .signals = signals,
                         .input = i == 0 ? -1 : nothing.number(),
                         .cpus = cpus ? &*cpus : nullptr});
        const exec_failure failure{static_cast<int>(i), errno};
        const ssize_t written = write(to.number(), &failure, sizeof failure);
        _exit(written == sizeof failure ? 1 : 127);
      }
      pids_[i] = child;
    }
    to = owned_descriptor();
    exec_failure failure;  // the end of the pipe: each has become the program
    if (read(from.number(), &failure, sizeof failure) == sizeof failure) {
      kill_all_below();
      throw explain_exec_failure(what_.path, failure.error);
    }
  }

  [[nodiscard]] const std::vector<pid_t>& pids() const noexcept { return pids_; }
  [[nodiscard]] bool is_any_left() const noexcept { return ended_ < pids_.size(); }

  // A child has ended. True if it is one of these.
  bool has_ended(pid_t child, int wait_status) {
    const auto found = std::find(pids_.begin(), pids_.end(), child);
    if (found == pids_.end()) return false;
    *found = 0;
    ++ended_;
    const int process = static_cast<int>(found - pids_.begin());
    ends_[static_cast<std::size_t>(process)] = wait_status;
    const joined stage = what_.stage_of(process);
    const pid_t program = what_.pid_of(process);
    if (!is_failing()) end_.was_script = program != 0 && program != child;
    if (WIFSIGNALED(wait_status)) {
      blame(job_end::cause::killed, process, wait_status);
    } else if (WEXITSTATUS(wait_status) != 0 && stage != joined::and_left) {
      blame(job_end::cause::failed, process, wait_status);
    } else if (stage == joined::yes) {
      blame(job_end::cause::cut_off, process, wait_status);
    }
    if (end_.why == job_end::cause::none && WEXITSTATUS(wait_status) != 0 &&
        (end_.wait_status == 0 || process < end_.process)) {
      end_.process = process;
      end_.wait_status = wait_status;
    }
    return true;
  }

  // Called now and then.
  void look() {
    look_for_absent();
    look_at_programs();
    if (end_.why == job_end::cause::none) return;
    if (!asked_at_) {
      asked_at_ = clock::now();
      for (const pid_t each : pids_) {
        if (each != 0) kill(each, SIGTERM);
      }
    } else if (clock::now() - *asked_at_ >= std::chrono::seconds(seconds_after_failure)) {
      kill_all_below();
    }
  }

  [[nodiscard]] bool is_failing() const noexcept { return end_.why != job_end::cause::none; }
  [[nodiscard]] job_end end() const noexcept { return end_; }

 private:
  // Who has ended, and not come into the job in which others wait for it: the first one of a script, or a later one.
  void look_for_absent() {
    if (is_failing() || ended_ == 0) return;
    std::optional<int> absent;
    bool does_any_wait = false;
    for (std::size_t i = pids_.size(); i-- > 0;) {
      const joined stage = what_.stage_of(static_cast<int>(i));
      if (pids_[i] != 0) does_any_wait = does_any_wait || stage == joined::yes;
      if (pids_[i] == 0 && stage == joined::not_yet) absent = static_cast<int>(i);
    }
    if (absent && does_any_wait) blame(job_end::cause::never_came, *absent, ends_[static_cast<std::size_t>(*absent)]);
  }

  // The programs of scripts. What a script makes of its program's end says more, where it comes soon.
  void look_at_programs() {
    constexpr std::chrono::milliseconds for_script(500);
    const auto now = clock::now();
    for (std::size_t i = 0; i < pids_.size() && !is_failing(); ++i) {
      const int process = static_cast<int>(i);
      watched_program& its = programs_[i];
      if (pids_[i] == 0) continue;
      const pid_t program = what_.pid_of(process);
      if (program != its.number) {  // none, or the next one of a script
        its = {.number = program, .seen = {}, .ended_at = {}};
        if (program != 0 && program != pids_[i]) its.seen.emplace(program);
      }
      // The end first, then the stage: the last that a program does is to say that it has left. Then the next one may
      // come.
      if (!its.seen || !its.seen->has_ended() || what_.stage_of(process) != joined::yes ||
          what_.pid_of(process) != program)
        continue;
      if (!its.ended_at) its.ended_at = now;
      if (now - *its.ended_at >= for_script) blame(job_end::cause::lost, process, 0);
    }
  }

  // The first one is the cause.
  void blame(job_end::cause why, int process, int wait_status) {
    if (is_failing()) return;
    end_.why = why;
    end_.process = process;
    end_.wait_status = wait_status;
  }

  struct watched_program {
    pid_t number = 0;  // 0: none has come
    std::optional<joined_process> seen;
    std::optional<clock::time_point> ended_at;
  };

  const job_to_run& what_;
  std::vector<pid_t> pids_;  // 0: it has ended
  std::vector<int> ends_;    // of those that have, as waitpid gives them
  std::vector<watched_program> programs_;
  std::size_t ended_ = 0;
  std::optional<clock::time_point> asked_at_;
  job_end end_;
};

}  // namespace

job_end run_processes(const job_to_run& what) {
  const taken_signals ours;
  keep_orphans();
  running_job job(what);
  job.start(ours.blocked_before());

  signal_desk desk(job.pids(), true);
  bool was_killed = false;
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {  // orphans are ours, too
      if (job.has_ended(ended, status)) desk.has_ended(ended);
    }
    job.look();
    if (!job.is_any_left()) {
      if (job.is_failing()) kill_all_below();  // what they have started
      if (!desk.is_something_left(job.end().wait_status)) break;
    }
    siginfo_t info;
    constexpr timespec look_every{0, 500'000'000}, look_soon{0, 50'000'000};
    const bool is_soon = desk.is_in_a_hurry() || job.is_failing();
    const int number = sigtimedwait(&ours.all(), &info, is_soon ? &look_soon : &look_every);
    if (number < 0 && desk.look()) was_killed = true;
    if (number > 0 && number != SIGCHLD) desk.take(info);
  }
  job_end end = job.end();
  end.first_signal = desk.first();
  end.asked_by = desk.asked_by();
  end.signal_was_ours = WIFSIGNALED(end.wait_status) && desk.has_received(WTERMSIG(end.wait_status));
  end.was_killed = was_killed;
  return end;
}

}  // namespace purerun
