// The crystal and its velocities, from the seed and the number of each lattice site alone.
#include "lattice.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "random.hpp"
#include "text.hpp"
#include "units.hpp"

namespace md {
namespace {

constexpr unsigned displacement_numbers = 16;  // which random numbers: 16, 17, 18; velocities use 0 to 5

// The unit cells along an axis that may have a site in [low, high), and one more on each side for rounding.
struct index_range {
  int begin, end;
};

index_range cells_near(double low, double high, double lattice_constant, int cells) {
  return {std::max(0, static_cast<int>(low / lattice_constant) - 1),
          std::min(cells, static_cast<int>(high / lattice_constant) + 2)};
}

// Whether a site, in unit cells from the corner of the box, or one of its periodic images lies in the sphere.
bool is_inside(const vec3& site, const sphere& s, const int3& unit_cells) {
  const double shortest = std::min({unit_cells[0], unit_cells[1], unit_cells[2]});
  double distance2 = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double fraction = site[axis] / unit_cells[axis] - s.centre[axis];
    const double distance = (fraction - std::round(fraction)) * unit_cells[axis] / shortest;
    distance2 += distance * distance;
  }
  return distance2 < s.radius * s.radius;
}

}  // namespace

void check_size(double atoms_in_job, int ranks) {
  constexpr double bytes_per_atom = 300;  // eleven numbers, twice while they are sorted, and some thirty pairs
  constexpr double most_per_rank = 1e9;   // indices have 32 bits
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double per_rank = atoms_in_job / ranks;
  if (per_rank > most_per_rank || per_rank * bytes_per_atom > memory) {
    throw failure(text("%.4g atoms are too many for %d rank%s: %.4g GB for each, and this machine has %.4g GB",
                       atoms_in_job, ranks, ranks == 1 ? "" : "s", per_rank * bytes_per_atom / 1e9, memory / 1e9));
  }
}

atoms make_crystal(const int3& unit_cells, double lattice_constant, double delta, std::uint64_t seed, const grid& g,
                   std::span<const sphere> voids) {
  // Sites are a quarter of a cell away from the cell's faces, so none lies on the surface of the box.
  constexpr std::array<vec3, atoms_per_unit_cell> basis{vec3{0.25, 0.25, 0.25}, vec3{0.25, 0.75, 0.75},
                                                        vec3{0.75, 0.25, 0.75}, vec3{0.75, 0.75, 0.25}};
  std::array<index_range, 3> range{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    range[axis] = cells_near(g.low[axis], g.high[axis], lattice_constant, unit_cells[axis]);
  }

  atoms a;
  for (int k = range[2].begin; k < range[2].end; ++k) {
    for (int j = range[1].begin; j < range[1].end; ++j) {
      for (int i = range[0].begin; i < range[0].end; ++i) {
        const std::int64_t cell = i + std::int64_t{unit_cells[0]} * (j + std::int64_t{unit_cells[1]} * k);
        for (unsigned b = 0; b < atoms_per_unit_cell; ++b) {
          const vec3 site{(i + basis[b][0]) * lattice_constant, (j + basis[b][1]) * lattice_constant,
                          (k + basis[b][2]) * lattice_constant};
          bool mine = true;
          for (unsigned axis = 0; axis < 3; ++axis)
            mine = mine && site[axis] >= g.low[axis] && site[axis] < g.high[axis];
          const auto holds_site = [&](const sphere& s) {
            return is_inside({i + basis[b][0], j + basis[b][1], k + basis[b][2]}, s, unit_cells);
          };
          if (!mine || std::ranges::any_of(voids, holds_site)) continue;
          const std::int64_t id = cell * atoms_per_unit_cell + b;
          for (unsigned axis = 0; axis < 3; ++axis) {
            const double random = uniform(seed, id, displacement_numbers + axis);
            a.position[axis].push_back(site[axis] + delta * (2 * random - 1));
          }
          a.id.push_back(id);
        }
      }
    }
  }
  a.owned = a.id.size();
  for (auto& v : a.velocity) v.assign(a.owned, 0.0);
  return a;
}

void set_temperature(atoms& a, double temperature_k, double mass, std::uint64_t seed, messages& job) {
  if (temperature_k == 0) return;
  const double sigma = std::sqrt(boltzmann_ev_per_k * temperature_k / mass);
  std::array<double, 4> totals{0, 0, 0, static_cast<double>(a.owned)};
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < a.owned; ++i) {
      a.velocity[axis][i] = sigma * gaussian(seed, a.id[i], axis);
      totals[axis] += a.velocity[axis][i];
    }
  }
  job.sum(totals);

  double kinetic = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double mean = totals[axis] / totals[3];
    for (double& v : a.velocity[axis]) {
      v -= mean;
      kinetic += 0.5 * mass * v * v;
    }
  }
  job.sum(std::span(&kinetic, 1));
  const double scale = std::sqrt(1.5 * boltzmann_ev_per_k * temperature_k * totals[3] / kinetic);
  for (auto& axis : a.velocity) {
    for (double& v : axis) v *= scale;
  }
}

}  // namespace md
