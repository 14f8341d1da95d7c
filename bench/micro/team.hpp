// For systems without ranks: threads that take the place of ranks in a benchmark of a collective. With OpenMP they are
// the threads of one parallel region, otherwise plain threads.
//
// The work of a repetition has the three functions of collective.hpp; each gets the number of the thread first.
#pragma once

#if defined(BENCH_OPENMP)
#include <omp.h>
#endif

#include "collective.hpp"
#include "limits.hpp"

namespace bench {

#if defined(BENCH_OPENMP)

/// body(i) on every thread of a parallel region, thread i bound to the CPU of rank i.
template <class Body>
void run_team(const session& s, Body&& body) {
#pragma omp parallel num_threads(s.threads())
  {
    const int me = omp_get_thread_num();
    bind_to(s.cpu_of(me));
    body(me);
  }
}

/// A barrier of OpenMP.
class meeting_point {
 public:
  explicit meeting_point(int) {}
  void meet() {
#pragma omp barrier
  }
};

#else

template <class Body>
void run_team(const session& s, Body&& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < s.threads(); ++i) {
    threads.emplace_back([&s, &body, i] {
      bind_to(s.cpu_of(i));
      body(i);
    });
  }
  for (std::thread& t : threads) t.join();
}

/// A barrier of threads that have a core each. Used between what is timed.
class meeting_point {
 public:
  explicit meeting_point(int threads) : threads_(threads) {}
  void meet() {
    const int round = round_.load(std::memory_order_relaxed);  // it cannot change before this thread has arrived
    // acq_rel: what each thread did before becomes visible to the last, which publishes it by the store below.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);  // pairs with the acquire load below
    } else {
      while (round_.load(std::memory_order_acquire) == round) pause_cpu();
    }
  }

 private:
  const int threads_;
  alignas(128) std::atomic<int> arrived_{0};
  alignas(128) std::atomic<int> round_{0};
};

#endif

/// One thread's view of the work.
template <class Work>
struct member {
  Work& work;
  int me;
  void prepare(long rep) { work.prepare(me, rep); }
  void run(long rep) { work.run(me, rep); }
  void consume(long rep) { work.consume(me, rep); }
};

/// The seconds of repetitions first..first + count - 1. `each_alone`: as collective.hpp times from 8 KB on; otherwise
/// they are one loop, from the last thread that starts to the last that ends.
template <class Work>
double team_seconds(const session& s, Work& work, long first, long count, bool each_alone) {
  meeting_point point(s.threads());
  std::vector<spans> all(static_cast<std::size_t>(s.threads()));
  double moment = 0;
  run_team(s, [&](int me) {
    member<Work> mine{work, me};
    auto meet = [&] {
      point.meet();
      if (s.crowded()) return;
      if (me == 0) moment = now() + lead_to_start(s.threads());
      point.meet();
      wait_until_moment(moment);
    };
    spans& my_spans = all[static_cast<std::size_t>(me)];
    if (each_alone) {
      my_spans = time_each(mine, first, count, meet);
    } else {
      point.meet();
      const double start = now();
      repeat(mine, first, count);
      my_spans = {{start, now()}};
    }
  });
  if (each_alone) return total_seconds(all);
  span whole;
  for (const spans& each : all) whole = {std::max(whole.start, each[0].start), std::max(whole.end, each[0].end)};
  return whole.end - whole.start;
}

}  // namespace bench
