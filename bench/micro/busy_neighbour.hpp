// A full job of small steps beside foreign programs that compute, for busy_neighbour and busy_unbound.
//
// In a step each rank computes for 20 us, sends its number to the next rank, gets one from the rank before, and all add
// up what they have got. The foreign programs are shells that count nothing, half as many as there are ranks (or
// BENCH_NEIGHBOURS), which may run on the ranks' CPUs only: they are as many as the ranks.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "work.hpp"

namespace bench {

/// CPUs of this machine that a thread may run on.
class cpu_set {
 public:
  cpu_set() { CPU_ZERO(&set_); }
  static cpu_set every() {
    cpu_set all;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) all.add(cpu);
    return all;
  }
  /// Where the calling thread may run.
  static cpu_set own() {
    cpu_set mine;
    check(sched_getaffinity(0, sizeof mine.set_, &mine.set_) == 0, "the CPUs of a thread", 0, 0, 1);
    return mine;
  }
  void add(int cpu) { CPU_SET(cpu, &set_); }
  /// The calling thread may run on those of them that the system allows it.
  void allow() const { check(sched_setaffinity(0, sizeof set_, &set_) == 0, "no such CPUs", 0, 0, 1); }
  [[nodiscard]] cpu_set first(int count) const {
    cpu_set some;
    for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; ++cpu) {
      if (!CPU_ISSET(cpu, &set_)) continue;
      some.add(cpu);
      --count;
    }
    return some;
  }

 private:
  cpu_set_t set_;
};

/// Foreign programs that compute, as long as it lives. They end with the thread that has made it, too.
class neighbours {
 public:
  neighbours(int count, const cpu_set& where) {
    for (; count > 0; --count) {
      const pid_t child = fork();
      check(child >= 0, "no process for a neighbour", 0, 0, 1);
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        where.allow();
        execl("/bin/sh", "sh", "-c", "while :; do :; done", static_cast<char*>(nullptr));
        _exit(1);
      }
      running_.push_back(child);
    }
    usleep(10'000);  // they have begun by then
  }
  ~neighbours() {
    for (const pid_t each : running_) kill(each, SIGKILL);
    for (const pid_t each : running_) waitpid(each, nullptr, 0);
  }
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

 private:
  std::vector<pid_t> running_;
};

/// One after the other, each of a length that tells a slice of a foreign program at once.
inline void run_steps(long count, double work_steps) {
  constexpr int tag = 7;
  const int me = rank(), ranks = size(), before = (me + ranks - 1) % ranks, next = (me + 1) % ranks;
  for (long step = 0; step < count; ++step) {
    const double worked = chain(2, static_cast<long>(work_steps));
    check(worked > 1 && worked < 2, "work", 0, 1, static_cast<long>(worked));
    const double mine = static_cast<double>(me + step % 1000);
    double got = mine, sum = 0;
    if (ranks > 1) {
      request received = irecv(&got, sizeof got, before, tag);
      send(&mine, sizeof mine, next, tag);
      wait(received);
    }
    check_result(got, static_cast<double>(before + step % 1000), "the number of the rank before");
    allreduce(&got, &sum, 1);
    check_result(sum, static_cast<double>(ranks * (ranks - 1) / 2 + ranks * (step % 1000)), "the sum of all");
  }
}

/// The cases "quiet" and "busy", in turn, so that what else runs on the machine is beside both.
inline void measure_neighbours(session& s, const cpu_set& of_ranks) {
  const char* const wanted = std::getenv("BENCH_NEIGHBOURS");
  const int count = wanted != nullptr ? std::atoi(wanted) : std::max(1, size() / 2);
  const double work_steps = 20 * steps_per_us();
  auto body = [&](long steps) { run_steps(steps, work_steps); };
  s.in_turn([&] {
    s.measure("quiet", 0, body, us_per());
    if (rank() == 0) {
      const neighbours beside(count, of_ranks);
      s.measure("busy", 0, body, us_per());
    } else {
      s.measure("busy", 0, body, us_per());
    }
  });
}

}  // namespace bench
