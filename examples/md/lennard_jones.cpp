// Lennard-Jones: E = sum over pairs of 4 eps ((s/r)^12 - (s/r)^6) - shift.
#include "pair_forces.hpp"
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

  return sum_pair_forces(a, pairs, all, 4 * epsilon, [&](std::size_t, std::uint32_t, double r2) -> pair_result {
    const double inverse2 = 1 / r2;
    const double q = s6 * inverse2 * inverse2 * inverse2;
    return {q * (q - 1) - shift, 4 * epsilon * (12 * q - 6) * q * inverse2};
  });
}

}  // namespace

std::unique_ptr<potential> make_lennard_jones() { return std::make_unique<lennard_jones>(); }

}  // namespace md
