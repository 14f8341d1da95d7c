// Histogram: each rank adds to random ones of the counters of all ranks; the time of an item and core.
//
// bench: systems=pure, mpi; unit=ns; better=lower; distance=yes; ranks=1, 2, 16; ranks-may-be=any
// bench: cases=8 B, 8 B of 64, 8 B of 1024, 16 B of 1024, 8 B by all-to-all, 8 B by messages
//
// 131,072 items of a rank in a repetition (16,384 by messages), 10,000 counters of 8 bytes a rank. "of 64": buffers of
// 64 items; "8 B" chooses by itself. An MPI has one good way, which it repeats for all of these: counting, packing, and
// an all-to-all. "by messages": one for each item.
#include "histogram.hpp"

namespace {

constexpr std::size_t updates = std::size_t{1} << 17, cells = 10'000;

void run(bench::session& session, const bench::job& job) {
  using namespace bench::histogram;
  // Ranks that share a core take turns: each core does the work of several.
  const double share = static_cast<double>(bench::size()) / session.cores();
  counters many(updates, cells), few(updates / 8, cells);
  session.in_turn([&] {
#if defined(BENCH_PURE)
    measure(session, "8 B", 8, many, by_aggregation<std::uint64_t>(many, job.world, {}), share);
    for (const std::size_t items : {64, 1024}) {
      measure(session, "8 B of " + std::to_string(items), 8, many,
              by_aggregation<std::uint64_t>(many, job.world, {.buffer_bytes = 8 * items}), share);
    }
    measure(session, "16 B of 1024", 16, many, by_aggregation<padded>(many, job.world, {.buffer_bytes = 16384}), share);
    measure(session, "8 B by all-to-all", 8, many, by_all_to_all<std::uint64_t>{many}, share);
#else
    static_cast<void>(job);
    for (const char* const name : {"8 B", "8 B of 64", "8 B of 1024", "8 B by all-to-all"})
      measure(session, name, 8, many, by_all_to_all<std::uint64_t>{many}, share);
    measure(session, "16 B of 1024", 16, many, by_all_to_all<padded>{many}, share);
#endif
    measure(session, "8 B by messages", 8, few, by_messages{few}, share);
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
