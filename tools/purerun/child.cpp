#include "purerun/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "purerun/filtered_stderr.hpp"
#include "purerun/options.hpp"
#include "purerun/process_tree.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

constexpr std::array forwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));  // exec's old promise
  result.push_back(nullptr);
  return result;
}

// What the shell does with an executable file that the kernel does not know: a script without a first line "#!".
bool looks_like_a_script(const std::string& path) {
  std::ifstream file(path);
  std::array<char, 256> start{};
  file.read(start.data(), start.size());
  return std::find(start.begin(), start.begin() + file.gcount(), '\0') == start.begin() + file.gcount();
}

// Everything that exec needs, made before the fork.
struct image {
  image(const std::string& program, const std::vector<std::string>& command, const std::vector<std::string>& variables)
      : path(program), arguments(pointers(command)), environment(pointers(variables)), through_shell{"sh", program} {
    through_shell.insert(through_shell.end(), command.begin() + 1, command.end());
    shell_arguments = pointers(through_shell);
    is_script = looks_like_a_script(program);
  }

  // Returns only on failure, the error in errno.
  void execute() const {
    execve(path.c_str(), arguments.data(), environment.data());
    if (errno == ENOEXEC && is_script) execve("/bin/sh", shell_arguments.data(), environment.data());
  }

  std::string path;
  std::vector<char*> arguments, environment;
  std::vector<std::string> through_shell;
  std::vector<char*> shell_arguments;
  bool is_script = false;
};

// In the new process. Reports a failure of exec through the pipe, which a successful exec closes.
[[noreturn]] void become(const image& program, pid_t parent, const sigset_t& old_mask, int failure_pipe,
                         int stderr_of_its_own) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // purerun died before the line above
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  if (stderr_of_its_own >= 0) dup2(stderr_of_its_own, STDERR_FILENO);
  program.execute();
  const int error = errno;
  const ssize_t written = write(failure_pipe, &error, sizeof error);
  _exit(written == sizeof error ? 1 : 127);
}

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

// What becomes of the signals that purerun gets.
//
// The first one goes to the child; if that leads a group of its own, as under `timeout`, to all of the group. The
// terminal's own signals (Ctrl-C) have reached all of our group already, and go to another group only. Of a child that
// has ended by a signal the rest gets it, too (a shell hands nothing on to what it has started), and is waited for. A
// second SIGINT or SIGTERM ends all that is left, after a while in which it may do so itself.
class signal_desk {
 public:
  signal_desk(pid_t child, bool is_launcher) : child_(child), is_launcher_(is_launcher) { sigemptyset(&received_); }

  void take(const siginfo_t& info) {
    const int number = info.si_signo;
    sigaddset(&received_, number);
    if (first_ == 0) first_ = number;
    is_of_terminal_ = info.si_code == SI_KERNEL;
    pass_on(number);
    if (number != SIGINT && number != SIGTERM && number != SIGHUP && number != SIGQUIT) return;
    if (asked_by_ != 0 && (number == SIGINT || number == SIGTERM) && !kills_at_)
      kills_at_ = clock::now() + std::chrono::seconds(seconds_after_second_signal);
    asked_by_ = number;
  }

  // The child has ended. Whether something of it is left to wait for.
  bool is_something_left(int wait_status) {
    if (asked_by_ == 0 || !(is_launcher_ || kills_at_ || was_ended_by_signal(wait_status))) return false;
    bool is_any = false;
    for (const process& each : processes_below()) {
      if (each.session != getsid(0) && !kills_at_) continue;  // it was meant to stay
      is_any = true;
      if (!has_told_rest_ && !has_got(each.group)) kill(each.pid, asked_by_);
    }
    has_told_rest_ = true;
    return is_any;
  }

  // Whether the time after a second signal is over; if so, nothing is left. Called now and then.
  bool look() {
    if (!kills_at_ || clock::now() < *kills_at_) return false;
    kill_all_below();
    return true;
  }

  [[nodiscard]] int first() const noexcept { return first_; }
  [[nodiscard]] bool has_received(int number) const noexcept { return sigismember(&received_, number) == 1; }
  [[nodiscard]] bool is_in_a_hurry() const noexcept { return kills_at_ || has_told_rest_; }

 private:
  void pass_on(int number) {
    const pid_t group = getpgid(child_);
    if (group == getpgrp() || group < 0) {
      if (!is_of_terminal_) kill(child_, number);
      return;
    }
    kill(group == child_ ? -group : child_, number);
    if (group == child_) group_told_ = group;
  }
  [[nodiscard]] bool has_got(pid_t group) const noexcept {
    return group == group_told_ || (is_of_terminal_ && group == getpgrp());
  }
  [[nodiscard]] bool was_ended_by_signal(int wait_status) const noexcept {
    return WIFSIGNALED(wait_status) ? has_received(WTERMSIG(wait_status))
                                    : WEXITSTATUS(wait_status) == signal_base + asked_by_;
  }

  const pid_t child_;
  const bool is_launcher_;
  sigset_t received_;
  int first_ = 0;
  int asked_by_ = 0;       // the latest of those that ask for an end
  pid_t group_told_ = -1;  // which has got the latest signal; 0 is one whose leader a container does not show
  bool is_of_terminal_ = false;
  bool has_told_rest_ = false;
  std::optional<clock::time_point> kills_at_;
};

}  // namespace

child_end run_child(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment, const std::function<bool()>& is_over,
                    filtered_stderr* errors) {
  const image program(path, command, environment);

  // The signals stay blocked here, and are taken out one by one below. An ignored one (nohup) never arrives.
  signal(SIGCHLD, SIG_DFL);
  sigset_t ours, old_mask;
  sigemptyset(&ours);
  sigaddset(&ours, SIGCHLD);
  for (const int number : forwarded) sigaddset(&ours, number);
  pthread_sigmask(SIG_BLOCK, &ours, &old_mask);

  int failure_pipe[2];
  if (pipe2(failure_pipe, O_CLOEXEC) != 0) fail("pipe");
  keep_orphans();
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(program, self, old_mask, failure_pipe[1], errors != nullptr ? errors->for_child() : -1);
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

  signal_desk desk(child, static_cast<bool>(is_over));
  overdue_watch watch(child, is_over);
  bool has_ended = false;
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {  // orphans are ours, too
      if (ended != child) continue;
      has_ended = true;
      end.wait_status = status;
    }
    // A launcher's processes, which it should have ended.
    if (has_ended && is_over && (end.wait_status != 0 || desk.first() != 0)) kill_all_below();
    if (has_ended && !desk.is_something_left(end.wait_status)) break;
    siginfo_t info;
    constexpr timespec look_every{0, 500'000'000}, look_soon{0, 50'000'000};
    const bool is_quiet = !is_over && !desk.is_in_a_hurry();
    const int number = is_quiet ? sigwaitinfo(&ours, &info)
                                : sigtimedwait(&ours, &info, desk.is_in_a_hurry() ? &look_soon : &look_every);
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
