// Error-free addition, what the exact sums are made of.
#pragma once

#include <bit>
#include <cstdint>

namespace pure::core {

/// sum = a + b, rounded, and `error` what that lost: sum + error = a + b exactly, whatever the magnitudes (Knuth, The
/// Art of Computer Programming 2, 4.2.2, theorem B). If the addition overflows, error is NaN.
[[gnu::always_inline]] inline void two_sum(double a, double b, double& sum, double& error) noexcept {
  const double total = a + b;
  const double part_of_b = total - a;
  error = (a - (total - part_of_b)) + (b - part_of_b);
  sum = total;
}

/// Adds x to a sum that is kept as two numbers. `lost` collects bits: it stays 0 as long as sum + errors is exact. It
/// does not if the errors do not add up exactly, nor if something overflows or is not finite.
[[gnu::always_inline]] inline void add_exactly(double& sum, double& errors, double x, std::uint64_t& lost) noexcept {
  double error, lost_error;
  two_sum(sum, x, sum, error);
  two_sum(errors, error, errors, lost_error);
  lost |= std::bit_cast<std::uint64_t>(lost_error);
}

}  // namespace pure::core
