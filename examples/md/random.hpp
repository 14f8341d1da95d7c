// Random numbers as a function of (seed, atom, which number): the same for any number of ranks and in any order.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace md {

/// A bijective mix of 64 bits in which every input bit matters to every output bit (the finaliser of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Uniform in (0, 1).
constexpr double uniform(std::uint64_t seed, std::int64_t atom, unsigned which) {
  const std::uint64_t bits = mix(mix(mix(seed) ^ static_cast<std::uint64_t>(atom)) + which);
  return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

/// Gaussian with mean 0 and variance 1 (Box and Muller). Uses the numbers 2 * which and 2 * which + 1.
inline double gaussian(std::uint64_t seed, std::int64_t atom, unsigned which) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(seed, atom, 2 * which)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(seed, atom, 2 * which + 1));
}

}  // namespace md
