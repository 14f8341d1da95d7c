// For systems without ranks (raw threads, OpenMP, TBB): one rank, which binds threads itself. See bench.hpp.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {

struct request {};

inline int rank() { return 0; }
inline int size() { return 1; }
inline void send(const void*, std::size_t, int, int) {}
inline void recv(void*, std::size_t, int, int) {}
inline request irecv(void*, std::size_t, int, int) { return {}; }
inline void wait(request&) {}

[[noreturn]] inline void abort_job() { std::_Exit(1); }

/// Binds the calling thread; a negative CPU leaves it free.
inline void bind_to(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) {
    std::fprintf(stderr, "cannot bind a thread to CPU %d\n", cpu);
    abort_job();
  }
}

inline void start(const std::vector<int>& cpus) {
  if (!cpus.empty()) bind_to(cpus.front());
}
inline void finish() {}

}  // namespace bench
