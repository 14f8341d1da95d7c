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
[[noreturn]] void become(const image& program, pid_t parent, const sigset_t& old_mask, int failure_pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // purerun died before the line above
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  program.execute();
  const int error = errno;
  const ssize_t written = write(failure_pipe, &error, sizeof error);
  _exit(written == sizeof error ? 1 : 127);
}

// Ends a child that goes on although its work is over.
class overdue_watch {
 public:
  overdue_watch(pid_t child, const std::function<bool()>& is_over) : child_(child), is_over_(is_over) {}

  // Whether it had to act. Called now and then.
  bool look() {
    const auto now = std::chrono::steady_clock::now();
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
  std::optional<std::chrono::steady_clock::time_point> over_since_;
  bool has_asked_ = false;
};

}  // namespace

child_end run_child(const std::string& path, const std::vector<std::string>& command,
                    const std::vector<std::string>& environment, const std::function<bool()>& is_over) {
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
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(program, self, old_mask, failure_pipe[1]);
  close(failure_pipe[1]);

  int exec_error = 0;
  const ssize_t got = read(failure_pipe[0], &exec_error, sizeof exec_error);
  close(failure_pipe[0]);
  child_end end;
  if (got == sizeof exec_error) {
    waitpid(child, &end.wait_status, 0);
    throw explain_exec_failure(path, exec_error);
  }

  sigset_t received;
  sigemptyset(&received);
  overdue_watch watch(child, is_over);
  while (waitpid(child, &end.wait_status, WNOHANG) == 0) {
    siginfo_t info;
    constexpr timespec look_every{0, 500'000'000};
    const int number = is_over ? sigtimedwait(&ours, &info, &look_every) : sigwaitinfo(&ours, &info);
    if (number < 0 && is_over && watch.look()) end.was_overdue = true;
    if (number <= 0 || number == SIGCHLD) continue;
    sigaddset(&received, number);
    if (end.first_signal == 0) end.first_signal = number;
    // The terminal's own signals (Ctrl-C) go to the child as well: it is in our process group.
    if (info.si_code != SI_KERNEL) kill(child, number);
  }
  end.signal_was_ours = WIFSIGNALED(end.wait_status) && sigismember(&received, WTERMSIG(end.wait_status)) == 1;
  return end;
}

}  // namespace purerun
