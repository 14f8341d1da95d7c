// A loop of 1000 iterations of 1 us or 10 us each, shared by two threads, of which one has nothing else to do.
//
// bench: systems=pure, openmp, tbb, limit; unit=us; better=lower; ranks=2
// bench: cases=1 us, 10 us
//
// The value is the time of one loop. An iteration is a chain of dependent floating-point operations (work.hpp). Pure:
// pure::parallel_for by rank 0, while rank 1 waits in a receive, for a message after each loop. OpenMP:
// schedule(dynamic). TBB: tbb::parallel_for in an arena of two threads. The system limit is perfect sharing: half the
// time of one thread.
//
// Each loop writes its results into a row of its own, and after a batch all rows are checked; that is not timed.
#if defined(BENCH_PURE)
#include <pure/parallel.hpp>
#elif defined(BENCH_OPENMP)
#include <omp.h>
#elif defined(BENCH_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

#include <cmath>

#include "work.hpp"

namespace {

constexpr std::size_t iterations = 1000;

class loops {
 public:
  explicit loops(long steps) : steps_(steps) {
    for (std::size_t i = 0; i < iterations; ++i) expected_.push_back(result(i));
    for (std::vector<double>& row : rows_) row.assign(iterations, 0.0);
  }

  /// The seconds of `count` loops; share(body) calls body(i) for every iteration.
  template <class Share>
  double run(long count, Share&& share) {
    const double start = bench::now();
    for (long n = 0; n < count; ++n) {
      double* const row = rows_[static_cast<std::size_t>(n) % rows_.size()].data();
      share([this, row](std::size_t i) { row[i] = result(i); });
    }
    const double seconds = bench::now() - start;
    for (std::size_t n = 0; n < std::min(rows_.size(), static_cast<std::size_t>(count)); ++n) {
      for (std::size_t i = 0; i < iterations; ++i) bench::check_result(rows_[n][i], expected_[i], "iteration");
      rows_[n].assign(iterations, 0.0);
    }
    return seconds;
  }

 private:
  double result(std::size_t i) const { return bench::chain(static_cast<double>(i) / iterations, steps_); }

  const long steps_;
  std::vector<double> expected_;
  std::vector<std::vector<double>> rows_{128};
};

#if defined(BENCH_PURE)

void measure(bench::session& s, const std::string& name, long steps) {
  loops all(steps);
  auto body = [&](long count) {
    char token = 0;
    if (bench::rank() == 0) {
      return all.run(count, [&](auto&& iteration) {
        pure::parallel_for(iterations, iteration);
        bench::send(&token, 1, 1, 0);
      });
    }
    for (long n = 0; n < count; ++n) bench::recv(&token, 1, 0, 0);
    return 0.0;
  };
  s.measure(name, 0, body, bench::us_per());
}

#elif defined(BENCH_OPENMP)

void measure(bench::session& s, const std::string& name, long steps) {
  loops all(steps);
  auto body = [&](long count) {
    return all.run(count, [&](auto&& iteration) {
#pragma omp parallel for schedule(dynamic) num_threads(s.threads())
      for (std::size_t i = 0; i < iterations; ++i) iteration(i);
    });
  };
#pragma omp parallel num_threads(s.threads())
  bench::bind_to(s.cpu_of(omp_get_thread_num()));
  s.measure(name, 0, body, bench::us_per());
}

#elif defined(BENCH_TBB)

/// Binds each thread that enters the arena.
class binder : public tbb::task_scheduler_observer {
 public:
  binder(const bench::session& s, tbb::task_arena& arena) : task_scheduler_observer(arena), session_(s) {
    observe(true);
  }
  ~binder() override { observe(false); }
  void on_scheduler_entry(bool) override {
    bench::bind_to(session_.cpu_of(tbb::this_task_arena::current_thread_index()));
  }

 private:
  const bench::session& session_;
};

void measure(bench::session& s, const std::string& name, long steps) {
  loops all(steps);
  // Without this, TBB counts the CPUs of this thread, which is bound to one.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(s.threads()));
  tbb::task_arena arena(s.threads());
  const binder binds(s, arena);
  auto body = [&](long count) {
    return all.run(count, [&](auto&& iteration) {
      arena.execute([&] { tbb::parallel_for(std::size_t{0}, iterations, iteration); });
    });
  };
  s.measure(name, 0, body, bench::us_per());
}

#else

void measure(bench::session& s, const std::string& name, long steps) {
  loops all(steps);
  auto body = [&](long count) {
    return all.run(count, [](auto&& iteration) {
      for (std::size_t i = 0; i < iterations; ++i) iteration(i);
    });
  };
  s.measure(name, 0, body, bench::us_per(2));
}

#endif

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  const double steps = bench::steps_per_us();
  for (int us : {1, 10}) measure(session, std::to_string(us) + " us", std::lround(steps * us));
}
