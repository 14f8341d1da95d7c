// Work of a known length for the benchmarks that share it: a chain of dependent multiplications and additions, whose
// length is calibrated once per process. It is real work: a loop that looks at a clock would be over as soon when its
// thread has lost the core meanwhile, or shares it.
#pragma once

#include <bit>

#include "bench.hpp"

namespace bench {

/// `steps` steps, of which each needs the one before. The result depends on x and on the number of steps. Not inlined:
/// every system runs the same instructions, and no two chains are interleaved.
[[gnu::noinline]] inline double chain(double x, long steps) {
  for (long i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

/// How many steps of chain() take a microsecond: by the fastest of many runs, which nothing has interrupted. (A chain
/// of 1 us that is followed by another takes 5 % less: a processor begins the next before the last steps of this one.)
inline double measured_steps_per_us() {
  constexpr long steps = 50'000;
  double least = 1;
  double result = 2;
  for (int i = 0; i < 100; ++i) {
    const double start = now();
    result = chain(result, steps);
    least = std::min(least, now() - start);
  }
  check(result > 1 && result < 2, "calibration", 0, 1, static_cast<long>(result));
  return static_cast<double>(steps) / (1e6 * least);
}

/// The same number on every rank: rank 0 measures. Collective.
inline double steps_per_us() {
  constexpr int tag = 32'020;
  double steps = 0;
  if (rank() != 0) {
    recv(&steps, sizeof steps, 0, tag);
    return steps;
  }
  steps = measured_steps_per_us();
  for (int r = 1; r < size(); ++r) send(&steps, sizeof steps, r, tag);
  return steps;
}

/// Aborts unless both have the same bits.
inline void check_result(double found, double expected, const char* what) {
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  check(bits(found) == bits(expected), what, sizeof found, bits(expected), bits(found));
}

}  // namespace bench
