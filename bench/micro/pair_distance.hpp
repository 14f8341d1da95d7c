// How far apart the cores of a benchmark's pair are: of rank 0 and of the first rank of the second half, or, in a
// system without ranks, of the threads in their places.
#pragma once

#include <vector>

#include "core_distance.hpp"

#if defined(BENCH_NO_MESSAGES)
#include <thread>
#endif

namespace bench {

#if defined(BENCH_NO_MESSAGES)

class pair_distance {
 public:
  /// `cpus`: of the threads; the caller is bound to the first.
  explicit pair_distance(const std::vector<int>& cpus) : partner_(cpus.size() > 1 ? cpus[cpus.size() / 2] : -1) {}

  bool has_this_rank() const { return partner_ >= 0; }
  bool open(const char* file) { return mine_.open(file) && others_.open(file); }
  /// As core_distance::measure().
  double measure() {
    std::thread other([this] {
      bind_to(partner_);
      others_.measure(false);
    });
    const double found = mine_.measure(true);
    other.join();
    return found;
  }

 private:
  const int partner_;
  // Each is written by its thread; lines are fetched in pairs.
  alignas(128) core_distance mine_;
  alignas(128) core_distance others_;
};

#else

class pair_distance {
 public:
  explicit pair_distance(const std::vector<int>&) {}

  bool has_this_rank() const { return size() > 1 && (rank() == 0 || rank() == size() / 2); }
  bool open(const char* file) { return mine_.open(file); }
  double measure() { return mine_.measure(rank() == 0); }

 private:
  core_distance mine_;
};

#endif

}  // namespace bench
