// The loop that both potentials share: forces and energies of the listed pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoms.hpp"
#include "pairs.hpp"
#include "rows.hpp"

namespace md {

/// What a potential finds for a pair: its energy, and the force along the line between the atoms, divided by their
/// distance: positive if they repel.
struct pair_result {
  double energy;
  double force;
};

/// Sets the force on every owned atom to the sum of its pairs' forces, and returns the energy of the pairs, those with
/// a ghost half: `unit` times what of_pair(i, j, r2) gives for atoms i and j at the squared distance r2. of_pair is
/// called by several ranks at the same time.
template <class OfPair>
double sum_pair_forces(atoms& a, const pair_list& pairs, rows& all, double unit, const OfPair& of_pair) {
  for (auto& f : a.force) f.assign(a.owned, 0.0);
  const double* const x = a.position[0].data();
  const double* const y = a.position[1].data();
  const double* const z = a.position[2].data();
  double* const fx = a.force[0].data();
  double* const fy = a.force[1].data();
  double* const fz = a.force[2].data();
  return all.sum_apart([&](const row& r) {
    double whole = 0;   // pairs of owned atoms
    double shared = 0;  // pairs with a ghost
    for (std::size_t i = r.first; i < r.last; ++i) {
      const double xi = x[i], yi = y[i], zi = z[i];
      double fxi = 0, fyi = 0, fzi = 0;
      struct on_first {
        double energy;
        double fx, fy, fz;
      };
      const auto pair = [&](std::uint32_t j) -> on_first {
        const double dx = xi - x[j];
        const double dy = yi - y[j];
        const double dz = zi - z[j];
        const pair_result found = of_pair(i, j, dx * dx + dy * dy + dz * dz);
        fxi += found.force * dx;
        fyi += found.force * dy;
        fzi += found.force * dz;
        return {found.energy, found.force * dx, found.force * dy, found.force * dz};
      };
      for (const std::uint32_t j : pairs.owned_partners(i)) {
        const on_first p = pair(j);
        whole += p.energy;
        fx[j] -= p.fx;
        fy[j] -= p.fy;
        fz[j] -= p.fz;
      }
      for (const std::uint32_t j : pairs.ghost_partners(i)) shared += pair(j).energy;
      fx[i] += fxi;
      fy[i] += fyi;
      fz[i] += fzi;
    }
    return unit * (whole + 0.5 * shared);
  });
}

}  // namespace md
