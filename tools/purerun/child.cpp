#include "purerun/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include "purerun/exec_image.hpp"
#include "purerun/filtered_stderr.hpp"
#include "purerun/process_tree.hpp"
#include "purerun/program.hpp"
#include "purerun/signal_desk.hpp"

namespace purerun {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

using clock = std::chrono::steady_clock;

// Ends a child that goes on although its work is over.
class overdue_watch {
 public:
  overdue_watch(pid_t child, const std::function<bool()>& is_over) : child_(child), is_over_(is_over) {}

  // Whether it had to act. Called now and then.
  bool look() {
    const auto now = clock::now();
    if (!over_since_ && is_over_()) over_since_ = now;
    if (!over_since_) return false;
    const auto late = now - *over_since_;
    if (late < std::chrono::seconds(overdue_seconds)) return false;
    if (!has_asked_) kill(child_, SIGTERM);
    if (late >= std::chrono::seconds(overdue_seconds + 10)) kill(child_, SIGKILL);
    has_asked_ = true;
    return true;
  }

 private:
  pid_t child_;
  const std::function<bool()>& is_over_;
  std::optional<clock::time_point> over_since_;
  bool has_asked_ = false;
};

}  // namespace

void become_program(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment) {
  exec_image(path, command, environment).execute();
  throw explain_exec_failure(path, errno);
}

child_end run_child(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment, const std::function<bool()>& is_over,
                    filtered_stderr* errors) {
  const exec_image program(path, command, environment);
  const taken_signals ours;

  int failure_pipe[2];
  if (pipe2(failure_pipe, O_CLOEXEC) != 0) fail("pipe");
  keep_orphans();
  const new_process as{
      .parent = getpid(), .signals = ours.blocked_before(), .errors = errors != nullptr ? errors->for_child() : -1};
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    become(program, as);
    const int error = errno;
    const ssize_t written = write(failure_pipe[1], &error, sizeof error);  // a successful exec closes it
    _exit(written == sizeof error ? 1 : 127);
  }
  close(failure_pipe[1]);
  if (errors != nullptr) errors->begin();

  int exec_error = 0;
  const ssize_t got = read(failure_pipe[0], &exec_error, sizeof exec_error);
  close(failure_pipe[0]);
  child_end end;
  if (got == sizeof exec_error) {
    waitpid(child, &end.wait_status, 0);
    throw explain_exec_failure(path, exec_error);
  }

  signal_desk desk({child}, static_cast<bool>(is_over));
  overdue_watch watch(child, is_over);
  bool has_ended = false;
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {  // orphans are ours, too
      if (ended != child) continue;
      has_ended = true;
      desk.has_ended(child);
      end.wait_status = status;
    }
    // A launcher's processes, which it should have ended.
    if (has_ended && is_over && (end.wait_status != 0 || desk.first() != 0)) kill_all_below();
    if (has_ended && !desk.is_something_left(end.wait_status)) break;
    siginfo_t info;
    constexpr timespec look_every{0, 500'000'000}, look_soon{0, 50'000'000};
    const bool is_quiet = !is_over && !desk.is_in_a_hurry();
    const int number = is_quiet ? sigwaitinfo(&ours.all(), &info)
                                : sigtimedwait(&ours.all(), &info, desk.is_in_a_hurry() ? &look_soon : &look_every);
    if (number < 0 && desk.look()) end.was_killed = true;
    if (number < 0 && is_over && !has_ended && watch.look()) end.was_overdue = true;
    if (number > 0 && number != SIGCHLD) desk.take(info);
  }
  if (errors != nullptr) errors->end();
  end.first_signal = desk.first();
  end.signal_was_ours = WIFSIGNALED(end.wait_status) && desk.has_received(WTERMSIG(end.wait_status));
  return end;
}

}  // namespace purerun
