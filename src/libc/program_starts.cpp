// Functions that start another program with the environment that the calling one has, the rank's, or one that they are
// told, and with the limit of descriptors that a process of the rank's own has. (Not execle, which is libc's.)
//
// exec: any thread; in the child of a fork, or of a vfork, in whose memory others go on: no memory is taken, no lock,
// and nothing is written but to the stack. system: any thread.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <alloca.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "libc/child_processes.hpp"
#include "libc/descriptor_limit.hpp"
#include "libc/environment_state.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/signal_actions.hpp"

namespace pure::core {

namespace {

char* const* environment_here() noexcept { return *hidden_state_here().variables.environment; }

int rank_execve(const char* path, char* const* arguments, char* const* environment) {
  const descriptor_limit_of_new_program limit;
  return execve(path, arguments, environment);
}

int rank_fexecve(int file, char* const* arguments, char* const* environment) {
  const descriptor_limit_of_new_program limit;
  return fexecve(file, arguments, environment);
}

/// A file that the kernel does not know is a script of the shell, as in libc.
void execute_script(const char* file, char* const* arguments, char* const* environment) {
  std::size_t count = 0;
  while (arguments[count] != nullptr) ++count;
  auto** const own = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  own[0] = const_cast<char*>("/bin/sh");
  own[1] = const_cast<char*>(file);
  // Without its name; an empty list has none.
  if (count > 1) std::memcpy(own + 2, arguments + 1, (count - 1) * sizeof *own);
  own[count > 1 ? count + 1 : 2] = nullptr;
  rank_execve(own[0], own, environment);
}

bool goes_on_after(int error) noexcept {
  return error == ENOENT || error == ESTALE || error == ENOTDIR || error == ENODEV || error == ETIMEDOUT ||
         error == EACCES;
}

/// execvpe, with the PATH of the rank.
int rank_execvpe(const char* file, char* const* arguments, char* const* environment) {
  if (*file == '\0') {
    errno = ENOENT;
    return -1;
  }
  if (std::strchr(file, '/') != nullptr) {
    rank_execve(file, arguments, environment);
    if (errno == ENOEXEC) execute_script(file, arguments, environment);
    return -1;
  }
  const char* folders = own_variable("PATH");
  if (folders == nullptr) folders = "/bin:/usr/bin";
  const std::size_t length = strnlen(file, NAME_MAX + 1);
  if (length > NAME_MAX) {
    errno = ENAMETOOLONG;
    return -1;
  }
  char path[PATH_MAX + NAME_MAX + 1];
  bool is_forbidden = false;
  for (const char* next = folders;; ++next) {
    const char* const end = strchrnul(next, ':');
    const auto size = static_cast<std::size_t>(end - next);
    if (size < PATH_MAX) {
      char* name = static_cast<char*>(mempcpy(path, next, size));
      if (size != 0) *name++ = '/';
      std::memcpy(name, file, length + 1);
      rank_execve(path, arguments, environment);
      if (errno == ENOEXEC) execute_script(path, arguments, environment);
      if (!goes_on_after(errno)) return -1;
      is_forbidden = is_forbidden || errno == EACCES;
    }
    next = end;
    if (*next == '\0') break;
  }
  if (is_forbidden) errno = EACCES;
  return -1;
}

int rank_execv(const char* path, char* const* arguments) { return rank_execve(path, arguments, environment_here()); }

int rank_execvp(const char* file, char* const* arguments) { return rank_execvpe(file, arguments, environment_here()); }

/// As many arguments as there are before the null pointer, with one that has been read.
std::size_t count_of(va_list arguments) noexcept {
  std::size_t count = 1;
  while (va_arg(arguments, char*) != nullptr) ++count;
  return count;
}

using execute_function = int (*)(const char*, char* const*);

int execute_list(execute_function execute, const char* path, const char* first, va_list counted, va_list others) {
  const std::size_t count = first == nullptr ? 0 : count_of(counted);
  auto** const all = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  all[0] = const_cast<char*>(first);
  for (std::size_t i = 1; i <= count; ++i) all[i] = va_arg(others, char*);
  return execute(path, all);
}

int rank_execl(const char* path, const char* first, ...) {
  va_list counted, others;
  va_start(counted, first);
  va_start(others, first);
  const int result = execute_list(rank_execv, path, first, counted, others);
  va_end(others);
  va_end(counted);
  return result;
}

int rank_execlp(const char* file, const char* first, ...) {
  va_list counted, others;
  va_start(counted, first);
  va_start(others, first);
  const int result = execute_list(rank_execvp, file, first, counted, others);
  va_end(others);
  va_end(counted);
  return result;
}

// ---- system ------------------------------------------------------------------------------------------------------

/// While a command runs, a terminal's interrupts are its business: of the process, as long as one rank is in system().
class interrupts_of_terminal {
 public:
  void leave_to_command() noexcept {
    const std::scoped_lock held(lock_);
    if (commands_++ != 0) return;
    struct sigaction ignored = {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignored, &interrupt_);
    sigaction(SIGQUIT, &ignored, &quit_);
  }

  void take_back() noexcept {
    const std::scoped_lock held(lock_);
    if (--commands_ != 0) return;
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }

  /// What the command begins with. The caller has left them to a command.
  [[nodiscard]] sigset_t usual_signals() noexcept {
    const std::scoped_lock held(lock_);
    sigset_t usual;
    sigemptyset(&usual);
    if (interrupt_.sa_handler != SIG_IGN) sigaddset(&usual, SIGINT);
    if (quit_.sa_handler != SIG_IGN) sigaddset(&usual, SIGQUIT);
    return usual;
  }

 private:
  std::mutex lock_;
  int commands_ = 0;
  struct sigaction interrupt_ = {}, quit_ = {};
};

interrupts_of_terminal& interrupts() noexcept {
  static auto* const one = new interrupts_of_terminal;
  return *one;
}

/// One command, from its start to its end; a thread that is cancelled meanwhile ends it.
class running_command {
 public:
  running_command() noexcept {
    interrupts().leave_to_command();
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &mask_);
  }
  running_command(const running_command&) = delete;
  running_command& operator=(const running_command&) = delete;
  ~running_command() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      int before = 0;
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
      while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
      pthread_setcancelstate(before, nullptr);
    }
    interrupts().take_back();
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

  int run(const char* line) {
    char shell[] = "sh", option[] = "-c";
    char* const arguments[] = {shell, option, const_cast<char*>(line), nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    const sigset_t usual = interrupts().usual_signals();
    posix_spawnattr_setsigmask(&attributes, &mask_);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t process = 0;
    const int error = start(process, attributes, arguments);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
      errno = error;
      return W_EXITCODE(127, 0);
    }
    process_ = process;
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) continue;
    process_ = 0;
    if (ended == process) note_reaped(process, status);
    if (ended != process || !ignores_children()) return ended == process ? status : -1;
    errno = ECHILD;  // as where the system does not keep how they have ended
    return -1;
  }

 private:
  static int start(pid_t& process, const posix_spawnattr_t& attributes, char* const* arguments) {
    starting_child starting;
    const int error = posix_spawn(&process, "/bin/sh", nullptr, &attributes, arguments, environment_here());
    if (error != 0) return error;
    starting.note_made(process);
    limit_descriptors_of(process);
    return 0;
  }

  sigset_t mask_;
  pid_t process_ = 0;  // 0: it has ended
};

int rank_system(const char* line) {
  if (line != nullptr) return running_command().run(line);
  return running_command().run("exit 0") == 0 ? 1 : 0;  // whether there is a shell
}

}  // namespace

std::span<const replacement> program_starts() noexcept {
  static const replacement table[] = {
      replaced_by("execve", rank_execve),        replaced_by("fexecve", rank_fexecve),
      replaced_by("execv", rank_execv),          replaced_by("execvp", rank_execvp),
      replaced_by("execvpe", rank_execvpe),      replaced_by("execl", rank_execl),
      replaced_by("execlp", rank_execlp),        replaced_by("system", rank_system),
      replaced_by("__libc_system", rank_system),
  };
  return table;
}

}  // namespace pure::core
