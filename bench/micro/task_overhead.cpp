// What an empty task costs its owner, while nobody waits and while another rank waits in a receive.
//
// bench: systems=pure, openmp; unit=ns; better=lower; ranks=2
// bench: cases=1 chunk alone, 8 chunks alone, 64 chunks alone
// bench: cases=1 chunk with a waiter, 8 chunks with a waiter, 64 chunks with a waiter
//
// Pure: PureTask::execute, one after the other, of a task with an empty body; the number of chunks is a setting, so
// each is a job of its own. Alone: the other rank computes, and looks at a flag of the program now and then. OpenMP:
// alone, a parallel loop with schedule(dynamic) and as many iterations as chunks, on one thread; with a waiter, the
// same on two threads, or a taskloop while the other thread waits at the end of a single construct, whichever is
// faster.
//
// Checked before: in 1000 tasks of the same form, every chunk runs once.
#if defined(BENCH_PURE)
#define PURE_MAIN_RUNS_ONCE
#include <pure/run.hpp>
#endif

#include <atomic>

#if defined(BENCH_OPENMP)
#include "team.hpp"
#else
#include "work.hpp"
#endif

namespace {

constexpr int checked_tasks = 1000;

std::string case_name(unsigned chunks, bool waiter) {
  return std::to_string(chunks) + (chunks == 1 ? " chunk" : " chunks") + (waiter ? " with a waiter" : " alone");
}

/// Counts how often each chunk runs. Relaxed: the end of a task orders what its chunks have done.
class chunk_counts {
 public:
  explicit chunk_counts(unsigned chunks) : counts_(chunks) {}
  void count(unsigned chunk) { counts_[chunk].fetch_add(1, std::memory_order_relaxed); }
  /// After a task: every chunk has run once.
  void check_and_clear() {
    for (unsigned chunk = 0; chunk < counts_.size(); ++chunk) {
      const int found = counts_[chunk].exchange(0, std::memory_order_relaxed);
      bench::check(found == 1, "runs of a chunk", chunk, 1, found);
    }
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

#if defined(BENCH_PURE)

/// Runs `work` on rank 0; the other rank meanwhile waits in a receive, or computes.
template <class Work>
void run_beside(bool waiter, std::atomic<long>& turns, long turn, Work&& work) {
  char token = 0;
  if (bench::rank() == 0) {
    work();
    if (waiter) bench::send(&token, 1, 1, 0);
    turns.store(turn, std::memory_order_release);  // pairs with the load below
  } else if (waiter) {
    bench::recv(&token, 1, 0, 0);
  } else {
    double computed = 0;
    while (turns.load(std::memory_order_acquire) < turn) computed = bench::chain(computed, 100);
    bench::check(computed < 1, "computation", 0, 0, static_cast<long>(computed));
  }
}

void measure(bench::session& s, unsigned chunks, bool waiter, std::atomic<long>& turns) {
  long turn = turns.load(std::memory_order_relaxed);  // the same on both ranks, which have not started yet
  bench::message_barrier(0);

  chunk_counts counts(chunks);
  PureTask counting = [&](chunk_id_t start, chunk_id_t end, std::optional<void*>) {
    for (chunk_id_t chunk = start; chunk <= end; ++chunk) counts.count(chunk);
  };
  run_beside(waiter, turns, ++turn, [&] {
    for (int i = 0; i < checked_tasks; ++i) {
      counting.execute();
      counts.check_and_clear();
    }
  });

  PureTask empty = [](chunk_id_t, chunk_id_t, std::optional<void*>) {};
  auto body = [&](long count) {
    run_beside(waiter, turns, ++turn, [&] {
      for (long i = 0; i < count; ++i) empty.execute();
    });
  };
  s.measure(case_name(chunks, waiter), 0, body, bench::ns_per());
}

#else

struct parallel_loop {
  int threads;

  template <class Body>
  void run(long count, unsigned chunks, const Body& body) const {
    for (long n = 0; n < count; ++n) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
      for (unsigned i = 0; i < chunks; ++i) body(i);
    }
  }
};

struct task_loop {
  int threads;

  template <class Body>
  void run(long count, unsigned chunks, const Body& body) const {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (long n = 0; n < count; ++n) {
#pragma omp taskloop grainsize(1)
      for (unsigned i = 0; i < chunks; ++i) body(i);
    }
  }
};

template <class Loop>
auto empty_tasks(const Loop& loop, unsigned chunks) {
  chunk_counts counts(chunks);
  for (int i = 0; i < checked_tasks; ++i) {
    loop.run(1, chunks, [&](unsigned chunk) { counts.count(chunk); });
    counts.check_and_clear();
  }
  return [loop, chunks](long count) {
    loop.run(count, chunks, [](unsigned) { asm volatile(""); });  // which keeps the loop
  };
}

void measure(bench::session& s, unsigned chunks) {
  bench::run_team(s, [](int) {});  // binds the threads
  s.measure(case_name(chunks, false), 0, empty_tasks(parallel_loop{1}, chunks), bench::ns_per());
  s.measure_best(case_name(chunks, true), 0, bench::ns_per(), empty_tasks(parallel_loop{s.threads()}, chunks),
                 empty_tasks(task_loop{s.threads()}, chunks));
}

#endif

}  // namespace

#if defined(BENCH_PURE)

int main(int argc, char** argv) {
  for (unsigned chunks : {1U, 8U, 64U}) {
    setenv("PURE_MAX_TASK_CHUNKS", std::to_string(chunks).c_str(), 1);
    std::atomic<long> turns{0};
    const int status = pure::run(argc, argv, [&] {
      bench::session session(argc, argv);
      for (bool waiter : {false, true}) measure(session, chunks, waiter, turns);
    });
    if (status != 0) return status;
  }
}

#else

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  for (unsigned chunks : {1U, 8U, 64U}) measure(session, chunks);
}

#endif
