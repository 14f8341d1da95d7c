// Loops that ranks share beside foreign programs that compute on the same CPUs, and the same loops without sharing.
//
// bench: systems=pure; unit=us; better=lower; ranks=2
// bench: cases=1 ms alone, 1 ms shared, 10 ms alone, 10 ms shared
//
// A step is a loop of 16 iterations on each rank, and a barrier. An iteration is a chain of dependent floating-point
// operations (work.hpp), four times as long on rank 0, whose loop takes 1.6 or 16 ms by itself. Alone: each rank does
// its own iterations. Shared: pure::parallel_for, so that rank 1 helps until its own work comes again. Beside them runs
// one shell that counts nothing, or as many as BENCH_NEIGHBOURS says, on the ranks' CPUs (busy_neighbour.hpp): help may
// not cost more than it brings there, though it uses up the time that is due to rank 1. D-help-budget.
#include <pure/parallel.hpp>

#include <cmath>

#include "busy_neighbour.hpp"

namespace {

constexpr std::size_t iterations = 16;
constexpr double share_of_first = 1.6, share_of_others = 0.4;

class loop_of_rank {
 public:
  explicit loop_of_rank(double ms)
      : steps_(std::lround(ms * 1000 * bench::steps_per_us() * (bench::rank() == 0 ? share_of_first : share_of_others) /
                           iterations)) {
    for (std::size_t i = 0; i < iterations; ++i) expected_.push_back(result(i));
  }

  template <class Share>
  void run(long count, Share&& share) {
    for (long n = 0; n < count; ++n) {
      std::vector<double> found(iterations, 0.0);
      share([&](std::size_t i) { found[i] += result(i); });
      for (std::size_t i = 0; i < iterations; ++i) bench::check_result(found[i], expected_[i], "iteration");
      bench::barrier();
    }
  }

 private:
  double result(std::size_t i) const { return bench::chain(static_cast<double>(i) / iterations, steps_); }

  const long steps_;
  std::vector<double> expected_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::session s(argc, argv);
  bench::cpu_set of_ranks;
  for (int rank = 0; rank < bench::size(); ++rank) of_ranks.add(s.cpu_of(rank));
  const char* const wanted = std::getenv("BENCH_NEIGHBOURS");
  const int count = wanted != nullptr ? std::atoi(wanted) : std::max(1, bench::size() / 2);
  const bench::neighbours beside(bench::rank() == 0 ? count : 0, of_ranks);
  bench::barrier();
  for (const int ms : {1, 10}) {
    loop_of_rank loop(ms);
    const std::string name = std::to_string(ms) + " ms ";
    auto alone = [&](long steps) {
      loop.run(steps, [](auto&& iteration) {
        for (std::size_t i = 0; i < iterations; ++i) iteration(i);
      });
    };
    auto shared = [&](long steps) {
      loop.run(steps, [](auto&& iteration) { pure::parallel_for(iterations, iteration); });
    };
    s.in_turn([&] {
      s.measure(name + "alone", 0, alone, bench::us_per());
      s.measure(name + "shared", 0, shared, bench::us_per());
    });
  }
}
