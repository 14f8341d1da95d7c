// Index-gather between two processes of two ranks, by the schemes of an aggregation; the time of a question with its
// answer.
//
// bench: systems=pure, mpi; unit=ns; better=lower; ranks=4; ranks-may-be=even; processes=2; networks=shm, tcp
// bench: cases=WW, WPs, WsP, PP, automatic, by all-to-all
//
// As index_gather, but with 32,768 questions of a rank in a repetition. An MPI has no schemes: its all-to-all repeats.
#include "index_gather.hpp"

namespace {

void run(bench::session& session, const bench::job& job) {
  using namespace bench::index_gather;
  asked all(std::size_t{1} << 15);
  session.in_turn([&] {
#if defined(BENCH_PURE)
    for (const bench::named_scheme& each : bench::all_schemes)
      measure(session, each.name, all, by_aggregation(all, job.world, {.how = each.how}));
#else
    static_cast<void>(job);
    for (const char* const name : {"WW", "WPs", "WsP", "PP", "automatic"})
      measure(session, name, all, by_all_to_all{all});
#endif
    measure(session, "by all-to-all", all, by_all_to_all{all});
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run_items(argc, argv, run); }
