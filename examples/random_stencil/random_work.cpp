// A loop of dependent multiplications whose length is a hash of the argument.
#include "random_work.hpp"

#include <atomic>
#include <bit>
#include <cstdint>

namespace {

// Atomic, because with Pure all ranks are threads of one process and each sets it (to the same value).
constinit std::atomic<long> work_unit{1};

constexpr int most_doublings = 12;

// The finaliser of SplitMix64: every bit of the input matters to every bit of the result.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

void set_work_unit(long steps) { work_unit.store(steps, std::memory_order_relaxed); }

double random_work(double value) {
  std::uint64_t state = mix(std::bit_cast<std::uint64_t>(value));
  const int doublings = std::countr_zero(state | (std::uint64_t{1} << most_doublings));
  const long steps = work_unit.load(std::memory_order_relaxed) << doublings;
  for (long s = 0; s < steps; ++s) state = state * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
  constexpr double size_of_noise = 0x1p-10;
  return value + size_of_noise * (static_cast<double>(state >> 11U) * 0x1p-53 - 0.5);
}
