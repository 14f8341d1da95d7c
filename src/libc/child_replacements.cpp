// Processes that a rank starts, and waits for: it waits for its own, and not for those of other ranks. Where it ignores
// their ends (SIGCHLD), nobody waits for them successfully, as with a process; other ranks' are not concerned.
//
// Any thread; waitpid and its relatives in signal handlers as well. (system: program_starts.cpp.)
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "libc/child_processes.hpp"
#include "libc/commands.hpp"
#include "libc/descriptor_limit.hpp"
#include "libc/environment_state.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/signal_actions.hpp"

namespace pure::core {

namespace {

constexpr int of_this_thread = static_cast<int>(__WNOTHREAD);
constexpr std::size_t most_of_others = 256;

/// Until one of these has ended, or a signal has been handled.
void sleep_until_an_end(const pid_t* children, std::size_t count) noexcept {
  pollfd ends[most_of_others];
  nfds_t known = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto end = static_cast<int>(syscall(SYS_pidfd_open, children[i], 0));
    if (end >= 0) ends[known++] = {.fd = end, .events = POLLIN, .revents = 0};
  }
  constexpr int moment_ms = 10;  // of the calling thread's own children there are no descriptors
  ::poll(ends, known, moment_ms);
  for (nfds_t i = 0; i < known; ++i) close(ends[i].fd);
}

/// Which children are meant, as waitpid has it: any, or those of a group.
bool is_meant(pid_t which, pid_t child) noexcept {
  if (which == -1) return true;
  return getpgid(child) == (which == 0 ? getpgid(0) : -which);
}

/// `wait(which, options)` is waitpid's result, in whatever way it tells the rest.
template <class Wait>
pid_t wait_for_one_of(pid_t which, int options, const Wait& wait) noexcept {
  for (;;) {
    pid_t others[most_of_others];
    const std::size_t count = children_of_other_threads(others, most_of_others);
    if (count == 0) return wait(which, options | of_this_thread);
    pid_t found = wait(which, options | of_this_thread | WNOHANG);
    if (found > 0 || (found < 0 && errno != ECHILD)) return found;
    bool are_there = found == 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_meant(which, others[i])) continue;
      found = wait(others[i], options | WNOHANG);
      if (found > 0) return found;
      if (found < 0) note_reaped(others[i], 0);  // by other ways
      are_there = are_there || found == 0;
    }
    if (!are_there) {
      errno = ECHILD;
      return -1;
    }
    if ((options & WNOHANG) != 0) return 0;
    sleep_until_an_end(others, count);
  }
}

/// The same for any `which`, and for ranks that ignore their children's ends.
template <class Wait>
pid_t wait_as_rank(pid_t which, int options, const Wait& wait) noexcept {
  for (;;) {
    bool has_ended = false;
    const auto noting = [&](pid_t one, int how) {
      int status = 0;
      has_ended = false;
      const pid_t found = wait(one, how, status, has_ended);
      if (found > 0 && has_ended) note_reaped(found, status);
      return found;
    };
    const bool is_of_rank = hidden_state_of_thread() != nullptr && is_process_of_ranks();
    const pid_t found = which > 0 || !is_of_rank ? noting(which, options) : wait_for_one_of(which, options, noting);
    if (found <= 0 || !has_ended || !ignores_children()) return found;
  }
}

pid_t rank_wait4(pid_t which, int* status, int options, rusage* usage) {
  return wait_as_rank(which, options, [&](pid_t one, int how, int& its, bool& has_ended) {
    const pid_t found = wait4(one, &its, how, usage);
    has_ended = found > 0 && (WIFEXITED(its) || WIFSIGNALED(its));
    if (found > 0 && status != nullptr) *status = its;
    return found;
  });
}

pid_t rank_waitpid(pid_t which, int* status, int options) { return rank_wait4(which, status, options, nullptr); }
pid_t rank_wait3(int* status, int options, rusage* usage) { return rank_wait4(-1, status, options, usage); }
pid_t rank_wait(int* status) { return rank_wait4(-1, status, 0, nullptr); }

int rank_waitid(idtype_t kind, id_t id, siginfo_t* information, int options) {
  if (kind != P_ALL && kind != P_PGID && kind != P_PID) return waitid(kind, id, information, options);
  siginfo_t own{};
  siginfo_t& its = information == nullptr ? own : *information;
  const pid_t which = kind == P_ALL ? -1 : kind == P_PID ? static_cast<pid_t>(id) : -static_cast<pid_t>(id);
  const pid_t found = wait_as_rank(which, options, [&](pid_t one, int how, int& ended, bool& has_ended) -> pid_t {
    its.si_pid = 0;
    const idtype_t meant = one == -1 ? P_ALL : one > 0 ? P_PID : P_PGID;
    if (waitid(meant, static_cast<id_t>(one > 0 ? one : -one), &its, how) != 0) return -1;
    has_ended = (how & WNOWAIT) == 0 && its.si_pid > 0 &&
                (its.si_code == CLD_EXITED || its.si_code == CLD_KILLED || its.si_code == CLD_DUMPED);
    ended = its.si_code == CLD_EXITED ? W_EXITCODE(its.si_status, 0) : its.si_status;
    return its.si_pid;
  });
  return found < 0 ? -1 : 0;
}

int started(starting_child& start, int error, pid_t process) noexcept {
  if (error != 0) return error;
  start.note_made(process);
  limit_descriptors_of(process);
  const int before = errno;
  if (ignores_children()) rank_wait4(-1, nullptr, WNOHANG, nullptr);  // nobody else does away with what has ended
  errno = before;
  return 0;
}

int rank_posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                     const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  pid_t own = 0;
  starting_child start;
  const int error = posix_spawn(&own, path, actions, attributes, arguments, environment);
  if (error == 0 && process != nullptr) *process = own;
  return started(start, error, own);
}

/// The PATH is the rank's.
int rank_posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  pid_t own = 0;
  int error = 0;
  starting_child start;
  {
    const borrowed_environment now;
    error = posix_spawnp(&own, file, actions, attributes, arguments, environment);
  }
  if (error == 0 && process != nullptr) *process = own;
  return started(start, error, own);
}

pid_t rank_fork() {
  starting_child start;
  const pid_t child = fork();
  start.note_made(child);
  return child;
}

// ---- popen -------------------------------------------------------------------------------------------------------

struct running_commands {
  std::mutex lock;
  std::map<FILE*, pid_t> all;
};
running_commands& commands() {
  static auto* const all = new running_commands;
  return *all;
}

/// The command's process, which is not in the list any more; 0: it is no stream of a command.
pid_t taken_command(FILE* stream) noexcept {
  const std::lock_guard held(commands().lock);
  const auto found = commands().all.find(stream);
  if (found == commands().all.end()) return 0;
  const pid_t process = found->second;
  commands().all.erase(found);
  return process;
}

/// As libc's, in the rank's environment. The end that the rank has is no other program's: what else is started never
/// keeps the command waiting for the end of its input.
FILE* rank_popen(const char* line, const char* mode) {
  const bool reads = std::strchr(mode, 'r') != nullptr;
  if (reads == (std::strchr(mode, 'w') != nullptr) || std::strspn(mode, "rwe") != std::strlen(mode)) {
    errno = EINVAL;
    return nullptr;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int own = ends[reads ? 0 : 1], of_command = ends[reads ? 1 : 0];
  FILE* const stream = fdopen(own, reads ? "r" : "w");
  char shell[] = "sh", option[] = "-c";
  char* const arguments[] = {shell, option, const_cast<char*>(line), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, of_command, reads ? 1 : 0);
  pid_t process = 0;
  const int error = stream == nullptr ? ENOMEM
                                      : rank_posix_spawn(&process, "/bin/sh", &actions, nullptr, arguments,
                                                         *hidden_state_here().variables.environment);
  posix_spawn_file_actions_destroy(&actions);
  close(of_command);
  if (error == 0) {
    const std::lock_guard held(commands().lock);
    commands().all[stream] = process;
    return stream;
  }
  if (stream == nullptr)
    close(own);
  else
    std::fclose(stream);
  errno = error;
  return nullptr;
}

int rank_pclose(FILE* stream) {
  int status = 0;
  return end_command(stream, status) ? status : pclose(stream);
}

}  // namespace

bool end_command(FILE* stream, int& status) noexcept {
  const pid_t process = taken_command(stream);
  if (process == 0) return false;
  std::fclose(stream);
  pid_t ended = 0;
  while ((ended = rank_waitpid(process, &status, 0)) < 0 && errno == EINTR) continue;
  if (ended < 0) status = -1;
  return true;
}

std::span<const replacement> child_parts() noexcept {
  static const replacement table[] = {
      replaced_by("waitpid", rank_waitpid),
      replaced_by("__waitpid", rank_waitpid),
      replaced_by("wait", rank_wait),
      replaced_by("__wait", rank_wait),
      replaced_by("wait3", rank_wait3),
      replaced_by("wait4", rank_wait4),
      replaced_by("waitid", rank_waitid),
      replaced_by("posix_spawn", rank_posix_spawn),
      replaced_by("posix_spawnp", rank_posix_spawnp),
      replaced_by("fork", rank_fork),
      replaced_by("__fork", rank_fork),
      replaced_by("popen", rank_popen),
      replaced_by("pclose", rank_pclose),
  };
  return table;
}

}  // namespace pure::core
