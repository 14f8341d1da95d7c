// A loop of dependent multiplications whose length is a hash of the argument.
#include "random_work.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

namespace {

// Atomic, because with Pure all ranks are threads of one process and each sets them (to the same values).
constinit std::atomic<bool> uneven{false};
constinit std::atomic<long> light_unit{1};
constinit std::atomic<long> heavy_unit{1};
constinit std::atomic<long> part_count{1};
constinit std::atomic<double> rise{0};  // of every value in an iteration: moves all of them to the next part's height

constexpr int most_doublings = 12;
constexpr double height_of_part = 16;  // values differ by less than 1 within a part

// The finaliser of SplitMix64: every bit of the input matters to every bit of the result.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

bool is_heavy(double value) {
  return static_cast<long>(value / height_of_part) % part_count.load(std::memory_order_relaxed) == 0;
}

}  // namespace

void set_work(const work_costs& costs) {
  uneven.store(costs.imbalance != 1, std::memory_order_relaxed);
  light_unit.store(costs.unit, std::memory_order_relaxed);
  heavy_unit.store(std::lround(static_cast<double>(costs.unit) * costs.imbalance), std::memory_order_relaxed);
  part_count.store(costs.parts, std::memory_order_relaxed);
  rise.store(costs.moving > 0 ? height_of_part / static_cast<double>(costs.moving) : 0, std::memory_order_relaxed);
}

double start_value(std::size_t index, std::size_t size, const work_costs& costs) {
  const std::size_t part = index * static_cast<std::size_t>(costs.parts) / size;
  return height_of_part * static_cast<double>(part) + static_cast<double>(index % 1013) / 1013.0;
}

double random_work(double value) {
  std::uint64_t state = mix(std::bit_cast<std::uint64_t>(value));
  const int doublings = std::countr_zero(state | (std::uint64_t{1} << most_doublings));
  long unit = light_unit.load(std::memory_order_relaxed);
  double result = value;
  if (uneven.load(std::memory_order_relaxed)) {
    if (is_heavy(value)) unit = heavy_unit.load(std::memory_order_relaxed);
    result += rise.load(std::memory_order_relaxed);
  }
  const long steps = unit << doublings;
  for (long s = 0; s < steps; ++s) state = state * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
  constexpr double size_of_noise = 0x1p-10;
  return result + size_of_noise * (static_cast<double>(state >> 11U) * 0x1p-53 - 0.5);
}
