// Lennard-Jones: E = sum over pairs of 4 eps ((s/r)^12 - (s/r)^6) - shift.
#include "potential.hpp"
#include "text.hpp"
#include "units.hpp"

namespace md {
namespace {

constexpr double epsilon = 0.167;  // eV
constexpr double sigma = 2.315;    // angstrom
constexpr double sigmas_to_cutoff = 2.5;

class lennard_jones final : public potential {
 public:
  std::string description() const override {
    return text("Lennard-Jones copper, epsilon %g eV, sigma %g A, cutoff %g A, shifted", epsilon, sigma, cutoff());
  }
  double cutoff() const override { return sigmas_to_cutoff * sigma; }
  double mass() const override { return copper_mass_amu * mass_of_amu; }
  double lattice_constant() const override { return copper_lattice_constant; }
  double compute(atoms& a, const pair_list& pairs, rows& all, exchange& halo) override;
};

double lennard_jones::compute(atoms& a, const pair_list& pairs, rows& all, exchange&) {
  const double s2 = sigma * sigma;
  const double s6 = s2 * s2 * s2;
  const double c6 = 1 / (cutoff() * cutoff() * cutoff() * cutoff() * cutoff() * cutoff());
  const double shift = s6 * c6 * (s6 * c6 - 1);

  for (auto& f : a.force) f.assign(a.owned, 0.0);
  const double* const x = a.position[0].data();
  const double* const y = a.position[1].data();
  const double* const z = a.position[2].data();
  double* const fx = a.force[0].data();
  double* const fy = a.force[1].data();
  double* const fz = a.force[2].data();
  return all.sum_apart([&](const row& r) {
    double whole = 0;   // pairs of owned atoms, in units of 4 eps
    double shared = 0;  // pairs with a ghost
    for (std::size_t i = r.first; i < r.last; ++i) {
      const double xi = x[i], yi = y[i], zi = z[i];
      double fxi = 0, fyi = 0, fzi = 0;
      const auto pair = [&](std::uint32_t j) -> pair_result {
        const double dx = xi - x[j];
        const double dy = yi - y[j];
        const double dz = zi - z[j];
        const double inverse2 = 1 / (dx * dx + dy * dy + dz * dz);
        const double q = s6 * inverse2 * inverse2 * inverse2;
        const double f = 4 * epsilon * (12 * q - 6) * q * inverse2;  // -dE/dr / r
        fxi += f * dx;
        fyi += f * dy;
        fzi += f * dz;
        return {q * (q - 1) - shift, f * dx, f * dy, f * dz};
      };
      for (const std::uint32_t j : pairs.owned_partners(i)) {
        const pair_result p = pair(j);
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
    return 4 * epsilon * (whole + 0.5 * shared);
  });
}

}  // namespace

std::unique_ptr<potential> make_lennard_jones() { return std::make_unique<lennard_jones>(); }

}  // namespace md
