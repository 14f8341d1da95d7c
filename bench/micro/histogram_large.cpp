// Histogram with counters that no cache holds, 64 MB of a rank; the time of an item.
//
// bench: systems=pure, mpi; unit=ns; better=lower; distance=yes; ranks=2; ranks-may-be=any
// bench: cases=8 B, 8 B prefetched
//
// As histogram; prefetched: the handler is a pure::prefetched. An MPI's all-to-all repeats.
#include "histogram.hpp"

namespace {

void run(bench::session& session, const bench::job& job) {
  using namespace bench::histogram;
  counters all(std::size_t{1} << 17, (std::size_t{64} << 20) / 8);
  session.in_turn([&] {
#if defined(BENCH_PURE)
    measure(session, "8 B", 8, all, by_aggregation<std::uint64_t>(all, job.world, {}));
    measure(session, "8 B prefetched", 8, all, by_aggregation<std::uint64_t>(all, job.world, {}, true));
#else
    static_cast<void>(job);
    for (const char* const name : {"8 B", "8 B prefetched"})
      measure(session, name, 8, all, by_all_to_all<std::uint64_t>{all});
#endif
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
