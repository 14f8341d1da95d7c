// Histogram between two processes of two ranks, by the schemes of an aggregation; the time of an item and rank.
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all, by messages
//
// As histogram, but with 65,536 items of a rank in a repetition, and 4096 by messages. An MPI has no schemes: its
// all-to-all repeats.
#include "histogram.hpp"

namespace {

constexpr std::size_t updates = std::size_t{1} << 16, cells = 10'000;

void run(bench::session& session, const bench::job& job) {
  using namespace bench::histogram;
  counters many(updates, cells), few(updates / 16, cells);
  session.in_turn([&] {
#if defined(BENCH_PURE)
    for (const bench::named_scheme& each : bench::all_schemes)
      measure(session, each.name, 8, many, by_aggregation<std::uint64_t>(many, job.world, {.how = each.how}));
#else
    static_cast<void>(job);
    for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"})
      measure(session, name, 8, many, by_all_to_all<std::uint64_t>{many});
#endif
    measure(session, "by all-to-all", 8, many, by_all_to_all<std::uint64_t>{many});
    measure(session, "by messages", 8, few, by_messages{few});
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
