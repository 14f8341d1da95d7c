// How far apart the cores of two ranks are: how long a line of memory takes from one to the other. The host of a
// virtual machine moves its cores, so that two of them are threads of one core now, and behind different caches a
// moment later; what goes through memory then takes three times as long, for every system alike.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace bench {

class core_distance {
 public:
  core_distance() = default;
  ~core_distance() {
    if (turns_ != nullptr) munmap(turns_, sizeof *turns_);
  }
  core_distance(const core_distance&) = delete;
  core_distance& operator=(const core_distance&) = delete;

  /// `file`: some zeros, the same file for both ranks. False, and says why, if it cannot be mapped.
  bool open(const char* file) {
    const int descriptor = ::open(file, O_RDWR | O_CLOEXEC);
    void* const mapped = descriptor < 0
                             ? MAP_FAILED
                             : mmap(nullptr, sizeof *turns_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) std::perror(file);
    if (descriptor >= 0) close(descriptor);
    if (mapped != MAP_FAILED) turns_ = static_cast<std::atomic<long>*>(mapped);
    return turns_ != nullptr;
  }

  /// Nanoseconds, one way: the shortest of some series, for an interruption is no distance. By both ranks, `first` by
  /// one of them.
  double measure(bool first) {
    double shortest = 0;
    for (int i = 0; i < series; ++i) {
      const double took = measure_series(first);
      shortest = i == 0 ? took : std::min(shortest, took);
    }
    return shortest;
  }

 private:
  static constexpr int series = 5, trips = 20;
  static constexpr int looks_before_yield = 100'000;  // on a core for itself the other one is here long before

  double measure_series(bool first) {
    const double start = now_ns();
    for (int i = 0; i < trips; ++i) {
      if (first) turns_->store(turn_ + 1, std::memory_order_release);
      wait_for(first ? turn_ + 2 : turn_ + 1);
      if (!first) turns_->store(turn_ + 2, std::memory_order_release);
      turn_ += 2;
    }
    return (now_ns() - start) / (2 * trips);
  }

  void wait_for(long turn) const {
    for (int looks = 0; turns_->load(std::memory_order_acquire) != turn; ++looks) {
      if (looks > looks_before_yield) sched_yield();
    }
  }

  static double now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
  }

  std::atomic<long>* turns_ = nullptr;
  long turn_ = 0;
};

}  // namespace bench
