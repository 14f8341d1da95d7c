// The walk of experiment 3 (algorithm 5 of the paper): particles try random moves, which are accepted by the ratio of
// the densities (Metropolis). Each walker has random numbers of its own, so that it walks alike whoever its rank is.
#pragma once

#include <cstdint>
#include <vector>

#include "qmc_spline.hpp"

namespace windows {

struct walk_options {
  int particles = 0, generations = 0;
  double step = 0;
};

struct walk_result {
  double sum = 0;  ///< of the density at each particle, after each of its moves
  std::uint64_t accepted = 0;
};

/// SplitMix64 (Steele, Lea and Flood 2014).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  /// From 0 to 1, without 1.
  double next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return static_cast<double>((mixed ^ (mixed >> 31U)) >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

/// A place moved by at most `step`; a wall of the box reflects it. step <= 1.
inline double moved(double place, double step, random_numbers& random) {
  const double to = place + step * (2 * random.next() - 1);
  const double reflected = to < 0 ? -to : to > 1 ? 2 - to : to;
  return reflected;
}

template <class Source>
walk_result walk(int walker, const orbitals& of, const Source& coefficients, const walk_options& o) {
  random_numbers random(static_cast<std::uint64_t>(walker) << 32U);
  std::vector<float> values(static_cast<std::size_t>(of.count()));
  struct particle {
    point at;
    double density;
  };
  std::vector<particle> particles(static_cast<std::size_t>(o.particles));
  for (particle& each : particles) {
    for (double& place : each.at) place = random.next();
    each.density = density(of, coefficients, each.at, values.data());
  }
  walk_result result;
  for (int generation = 0; generation < o.generations; ++generation) {
    for (particle& each : particles) {
      particle next = each;
      for (double& place : next.at) place = moved(place, o.step, random);
      next.density = density(of, coefficients, next.at, values.data());
      if (random.next() * each.density < next.density) {
        each = next;
        ++result.accepted;
      }
      result.sum += each.density;
    }
  }
  return result;
}

}  // namespace windows
