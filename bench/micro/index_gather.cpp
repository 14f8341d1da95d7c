// Index-gather: each rank asks for random entries of a table that is spread over all ranks; the time of a question with
// its answer. And of one question alone, from asking to the answer.
//
// bench: systems=pure, mpi; unit=ns; better=lower; distance=yes; ranks=2; ranks-may-be=any
// bench: cases=8 B, 8 B of 64, 8 B by all-to-all, one question p50, one question p90, one question p99
//
// 131,072 questions of a rank in a repetition, 10,000 entries of 8 bytes a rank, of which each says where it is: every
// answer is checked. An MPI asks by two all-to-alls, which it repeats. "one question": rank 0 asks, flushes, and calls
// progress until the answer is there, while the other waits in finish; with an MPI by a message each way.
#include "index_gather.hpp"

namespace {

using namespace bench::index_gather;

/// Prints a sample of each percentile. Rank 0 asks one of the second half; the others wait.
void ask_one_by_one(bench::session& session, const bench::job& job) {
  constexpr int count = 2000;
  const int dest = bench::size() / 2, tag = 12;
  std::uint64_t got = 0;
#if defined(BENCH_PURE)
  pure::aggregation items(job.world, {.buffer_bytes = 8192});
  const auto look = items.on_query<std::uint32_t>(
      [me = bench::rank()](std::uint32_t index) { return entry(me, index); },
      [&](std::uint64_t value, std::uint64_t) { got = value; });
  const auto ask = [&](std::uint32_t index) {
    look.ask(index, dest);
    items.flush();
    while (got == 0) items.progress();
  };
  const auto answer_all = [&] { items.finish(); };
  static_cast<void>(tag);
#else
  static_cast<void>(job);
  const auto ask = [&](std::uint32_t index) {
    bench::send(&index, sizeof index, dest, tag);
    bench::recv(&got, sizeof got, dest, tag);
  };
  const auto answer_all = [&] {
    for (int i = 0; bench::rank() == dest && i < count; ++i) {
      std::uint32_t index = 0;
      bench::recv(&index, sizeof index, 0, tag);
      const std::uint64_t value = entry(dest, index);
      bench::send(&value, sizeof value, 0, tag);
    }
    bench::barrier();
  };
#endif
  std::vector<double> ns;
  for (std::uint32_t i = 0; bench::rank() == 0 && i < count; ++i) {
    got = 0;
    const double start = bench::now();
    ask(i);
    ns.push_back(1e9 * (bench::now() - start));
    const std::uint64_t right = entry(dest, i);
    bench::check(got == right, "an answer", 8, static_cast<long>(right), static_cast<long>(got));
  }
  answer_all();
  if (bench::rank() != 0) return;
  std::sort(ns.begin(), ns.end());
  for (const int percent : {50, 90, 99})
    session.report("one question p" + std::to_string(percent), 0, ns[static_cast<std::size_t>(count * percent / 100)]);
}

void run(bench::session& session, const bench::job& job) {
  asked all(std::size_t{1} << 17);
  session.in_turn([&] {
#if defined(BENCH_PURE)
    measure(session, "8 B", all, by_aggregation(all, job.world, {}));
    measure(session, "8 B of 64", all, by_aggregation(all, job.world, {.buffer_bytes = 64 * 16}));
    measure(session, "8 B by all-to-all", all, by_all_to_all{all});
#else
    for (const char* const name : {"8 B", "8 B of 64", "8 B by all-to-all"})
      measure(session, name, all, by_all_to_all{all});
#endif
    ask_one_by_one(session, job);
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
