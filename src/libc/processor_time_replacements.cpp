// clock, times, getrusage and the clock of the process tell the processor time of the calling rank, as those of a
// process would. What else getrusage and times tell is the process's; so is all in a child that a rank has forked.
//
// Any thread.
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <ctime>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"

namespace pure::core {

namespace {

std::int64_t used_ns() noexcept { return hidden_state_here().used.used().total_ns; }

std::clock_t rank_clock() {
  return is_process_of_ranks() ? static_cast<std::clock_t>(used_ns() / (1'000'000'000 / CLOCKS_PER_SEC)) : std::clock();
}

int rank_clock_gettime(clockid_t clock, timespec* time) {
  if (clock != CLOCK_PROCESS_CPUTIME_ID || !is_process_of_ranks()) return clock_gettime(clock, time);
  const std::int64_t used = used_ns();
  *time = {used / 1'000'000'000, used % 1'000'000'000};
  return 0;
}

/// The name of the process's clock that rank_clock_gettime knows: libc's is another one.
int rank_clock_getcpuclockid(pid_t process, clockid_t* clock) {
  if ((process != 0 && process != getpid()) || !is_process_of_ranks()) return clock_getcpuclockid(process, clock);
  *clock = CLOCK_PROCESS_CPUTIME_ID;
  return 0;
}

int rank_getrusage(__rusage_who_t who, rusage* usage) {
  const int result = getrusage(who, usage);
  if (result != 0 || who != RUSAGE_SELF || !is_process_of_ranks()) return result;
  const used_time used = hidden_state_here().used.used();
  usage->ru_utime = used.user;
  usage->ru_stime = used.system;
  return 0;
}

std::clock_t in_ticks(const timeval& time) noexcept {
  static const long each_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * each_second + time.tv_usec * each_second / 1'000'000;
}

std::clock_t rank_times(tms* times_of_process) {
  const std::clock_t now = times(times_of_process);
  if (times_of_process == nullptr || !is_process_of_ranks()) return now;
  const used_time used = hidden_state_here().used.used();
  times_of_process->tms_utime = in_ticks(used.user);
  times_of_process->tms_stime = in_ticks(used.system);
  return now;
}

}  // namespace

std::span<const replacement> processor_time_parts() noexcept {
  static const replacement table[] = {
      replaced_by("clock", rank_clock),
      replaced_by("clock_gettime", rank_clock_gettime),
      replaced_by("clock_getcpuclockid", rank_clock_getcpuclockid),
      replaced_by("getrusage", rank_getrusage),
      replaced_by("times", rank_times),
  };
  return table;
}

}  // namespace pure::core
