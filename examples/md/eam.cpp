// The embedded-atom method (Daw and Baskes): E = sum over pairs of phi(r) + sum over atoms of F(rho), where rho is the
// sum of the neighbours' electron densities. The force needs F'(rho) of both atoms of a pair, so the ghosts' F' travel
// between the two passes over the pairs.
#include <cmath>

#include "pair_forces.hpp"
#include "potential.hpp"
#include "potential_file.hpp"
#include "spline.hpp"
#include "text.hpp"
#include "units.hpp"

namespace md {
namespace {

constexpr double hartree_bohr = 27.2 * 0.529;  // e^2 / (4 pi eps0) in eV angstrom, with the format's own digits

class eam final : public potential {
 public:
  explicit eam(const eam_tables& tables);

  std::string description() const override;
  double cutoff() const override { return cutoff_; }
  double mass() const override { return mass_; }
  double lattice_constant() const override { return lattice_constant_; }
  double compute(atoms& a, const pair_list& pairs, rows& all, exchange& halo) override;

 private:
  // Both functions of r on one interval, in one cache line.
  struct alignas(64) pair_functions {
    cubic density;
    cubic charge2;  // r phi(r)
  };

  void sum_density(const atoms& a, const pair_list& pairs, const rows& all, std::vector<double>& density) const;
  double embed(rows& all, std::vector<double>& density) const;
  double sum_forces(atoms& a, const pair_list& pairs, rows& all, const std::vector<double>& embedding_slope) const;

  std::string name_;
  int atomic_number_;
  double cutoff_, mass_, lattice_constant_;
  double per_step_r_, per_step_rho_;
  std::vector<pair_functions> of_r_;
  std::vector<cubic> embedding_;
  std::vector<double> density_;  // of all atoms: rho, then F'(rho)
};

eam::eam(const eam_tables& t)
    : name_(t.name),
      atomic_number_(t.atomic_number),
      cutoff_(t.cutoff),
      mass_(t.mass_amu * mass_of_amu),
      lattice_constant_(t.lattice_constant),
      per_step_r_(1 / t.step_r),
      per_step_rho_(1 / t.step_rho),
      embedding_(natural_spline(t.embedding)) {
  std::vector<double> charge2;
  charge2.reserve(t.charge.size());
  for (const double z : t.charge) charge2.push_back(hartree_bohr * z * z);
  const auto charge2_spline = natural_spline(charge2);
  const auto density_spline = natural_spline(t.density);
  for (std::size_t k = 0; k < charge2_spline.size(); ++k) of_r_.push_back({density_spline[k], charge2_spline[k]});
}

std::string eam::description() const {
  return text("embedded atom, %s (element %d, %.4g amu), cutoff %.4g A", name_.c_str(), atomic_number_,
              mass_ / mass_of_amu, cutoff_);
}

void eam::sum_density(const atoms& a, const pair_list& pairs, const rows& all, std::vector<double>& density) const {
  density.assign(a.total(), 0.0);
  const double* const x = a.position[0].data();
  const double* const y = a.position[1].data();
  const double* const z = a.position[2].data();
  all.for_each_apart([&](const row& r) {
    for (std::size_t i = r.first; i < r.last; ++i) {
      const double xi = x[i], yi = y[i], zi = z[i];
      const auto rho_of = [&](std::uint32_t j) {
        const double dx = xi - x[j];
        const double dy = yi - y[j];
        const double dz = zi - z[j];
        const auto [k, t] = place_on_grid(std::sqrt(dx * dx + dy * dy + dz * dz), per_step_r_, of_r_.size());
        return of_r_[k].density.value(t);
      };
      double sum = 0;
      for (const std::uint32_t j : pairs.owned_partners(i)) {
        const double rho = rho_of(j);
        sum += rho;
        density[j] += rho;
      }
      for (const std::uint32_t j : pairs.ghost_partners(i)) sum += rho_of(j);
      density[i] += sum;
    }
  });
}

// Replaces the density of every owned atom by F'(rho) and returns the sum of F(rho).
double eam::embed(rows& all, std::vector<double>& density) const {
  return all.sum([&](const row& r) {
    double energy = 0;
    for (std::size_t i = r.first; i < r.last; ++i) {
      const auto [k, t] = place_on_grid(density[i], per_step_rho_, embedding_.size());
      // Beyond the table the energy goes on along the last tangent.
      const double inside = std::min(t, 1.0);
      const double slope = embedding_[k].slope(inside);
      energy += embedding_[k].value(inside) + slope * (t - inside);
      density[i] = slope * per_step_rho_;
    }
    return energy;
  });
}

double eam::sum_forces(atoms& a, const pair_list& pairs, rows& all, const std::vector<double>& embedding_slope) const {
  return sum_pair_forces(a, pairs, all, 1, [&](std::size_t i, std::uint32_t j, double r2) -> pair_result {
    const double distance = std::sqrt(r2);
    const auto [k, t] = place_on_grid(distance, per_step_r_, of_r_.size());
    const double inverse = 1 / distance;
    const double phi = of_r_[k].charge2.value(t) * inverse;
    const double phi_slope = (of_r_[k].charge2.slope(t) * per_step_r_ - phi) * inverse;
    const double rho_slope = of_r_[k].density.slope(t) * per_step_r_;
    return {phi, -(phi_slope + (embedding_slope[i] + embedding_slope[j]) * rho_slope) * inverse};
  });
}

double eam::compute(atoms& a, const pair_list& pairs, rows& all, exchange& halo) {
  sum_density(a, pairs, all, density_);
  const double embedding = embed(all, density_);
  halo.update_ghosts(density_);
  return embedding + sum_forces(a, pairs, all, density_);
}

}  // namespace

std::unique_ptr<potential> make_eam(const eam_tables& tables) { return std::make_unique<eam>(tables); }

}  // namespace md
