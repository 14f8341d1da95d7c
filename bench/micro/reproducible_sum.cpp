// The sum of the doubles of all ranks: added up by a loop and an all-reduce, beside reproducible_sum, which does not
// depend on the number of ranks. The number is that of the elements of each rank.
//
// bench: systems=pure; unit=us; better=lower; ranks=2; ranks-may-be=any
// bench: cases=8 plain, 8 reproducible, 1000 plain, 1000 reproducible, 1000000 plain, 1000000 reproducible
//
// The elements are whole numbers whose sum is exact, so that both are compared with it.
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>

#include <functional>

#include "bench.hpp"

namespace {

void measure(bench::session& s, pure::comm& world, std::size_t count) {
  std::vector<double> elements(count);
  long sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const long number = static_cast<long>(i * 7919 % 1048573);
    elements[i] = static_cast<double>(number);
    sum += number;
  }
  const double expected = static_cast<double>(sum * world.size());
  const std::size_t bytes = count * sizeof(double);
  const std::string name = std::to_string(count);
  const auto check = [&](double found) {
    bench::check(found == expected, "sum", bytes, static_cast<long>(expected), static_cast<long>(found));
  };
  const auto plain = [&](long n) {
    for (long i = 0; i < n; ++i) {
      double share = 0;
      for (const double x : elements) share += x;
      check(world.all_reduce(share, std::plus<>{}));
    }
  };
  const auto reproducible = [&](long n) {
    for (long i = 0; i < n; ++i) check(world.reproducible_sum(elements));
  };
  s.in_turn([&] {
    s.measure(name + " plain", bytes, plain, bench::us_per());
    s.measure(name + " reproducible", bytes, reproducible, bench::us_per());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return pure::run(argc, argv, [&](pure::comm world) {
    bench::session session(argc, argv);
    for (const std::size_t count : {std::size_t{8}, std::size_t{1000}, std::size_t{1'000'000}}) {
      measure(session, world, count);
    }
  });
}
