// Barrier of all ranks.
//
// bench: systems=pure, mpi, openmp, limit; unit=us; better=lower; ranks=2; ranks-may-be=any; distribution=cyclic
// bench: cases=barrier
//
// One barrier after the other, nothing between them. OpenMP: the barrier of one parallel region. The system limit is
// threads with flags and no library: in round k each thread raises a flag of the thread 2^k further on and waits for
// its own, so that two threads exchange one flag each.
//
// Checked before: in 64 barriers a rank in turn comes late, and nobody may leave before the last has entered.
#include "barrier.hpp"
#if defined(BENCH_NO_MESSAGES)
#include "team.hpp"
#endif

namespace {

#if defined(BENCH_NO_MESSAGES)

/// The work of team.hpp: nothing but the barrier.
template <class Barrier>
struct barriers {
  Barrier& barrier;
  void prepare(int, long) {}
  void run(int me, long) { barrier(me); }
  void consume(int, long) {}
};

template <class Barrier>
void check_barrier(const bench::session& s, Barrier& barrier) {
  std::vector<bench::spans> all(static_cast<std::size_t>(s.threads()));
  bench::run_team(s, [&](int me) {
    all[static_cast<std::size_t>(me)] = bench::checked_barrier_spans(me, s.threads(), [&] { barrier(me); });
  });
  bench::check_nobody_left_early(all);
}

#if defined(BENCH_OPENMP)

struct team_barrier {
  void operator()(int) const {
#pragma omp barrier
  }
};

void measure(bench::session& s) {
  team_barrier barrier;
  check_barrier(s, barrier);
  barriers<team_barrier> work{barrier};
  s.measure(
      "barrier", 0, [&](long count) { return bench::team_seconds(s, work, 0, count, false); }, bench::us_per());
}

#else

/// Flags that count the barriers, one line for each; `Pauses` between two looks.
template <int Pauses>
class flag_barrier {
 public:
  explicit flag_barrier(int threads) : threads_(threads), rows_(static_cast<std::size_t>(threads)) {}

  void operator()(int me) {
    row& mine = rows_[static_cast<std::size_t>(me)];
    const std::uint32_t number = ++mine.barriers;
    for (int k = 0, distance = 1; distance < threads_; ++k, distance *= 2) {
      const auto to = static_cast<std::size_t>((me + distance) % threads_);
      rows_[to].flags[k].mark.store(number, std::memory_order_release);  // pairs with await_mark
      bench::limits::await_mark<Pauses>(mine.flags[k].mark, number);
    }
  }

 private:
  struct alignas(128) flag {  // lines are fetched in pairs
    std::atomic<std::uint32_t> mark{0};
  };
  struct alignas(128) row {
    flag flags[16];
    std::uint32_t barriers = 0;  // written by its thread
  };
  const int threads_;
  std::vector<row> rows_;
};

template <int Pauses>
auto flag_barriers(const bench::session& s) {
  return [&s](long count) {
    flag_barrier<Pauses> barrier(s.threads());
    barriers<flag_barrier<Pauses> > work{barrier};
    return bench::team_seconds(s, work, 0, count, false);
  };
}

void measure(bench::session& s) {
  flag_barrier<1> barrier(s.threads());
  check_barrier(s, barrier);
  s.measure_best("barrier", 0, bench::us_per(), flag_barriers<0>(s), flag_barriers<1>(s), flag_barriers<4>(s));
}

#endif
#else

void measure(bench::session& s) { bench::measure_barrier(s); }

#endif

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  measure(session);
}
