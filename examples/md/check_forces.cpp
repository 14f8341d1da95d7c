// Central differences of the total energy, one atom and axis at a time.
#include "check_forces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "failure.hpp"
#include "text.hpp"

namespace md {
namespace {

constexpr double step_a = 1e-4;     // central differences: an error of step^2 and one of rounding / step
constexpr double tolerance = 1e-5;  // eV / angstrom; the forces are around 1

// Where atom `id` is on this rank, or a.owned. It moves whenever the forces are updated.
std::size_t find(const atoms& a, std::int64_t id) {
  return static_cast<std::size_t>(std::ranges::find(a.id, id) - a.id.begin());
}

double sum(messages& job, double value) {
  job.sum(std::span(&value, 1));
  return value;
}

double energy_after_move(simulation& s, std::int64_t id, unsigned axis, double by) {
  atoms& a = s.all_atoms();
  if (const std::size_t i = find(a, id); i < a.owned) a.position[axis][i] += by;
  s.update_forces();
  return s.observe().potential_ev;
}

}  // namespace

void check_forces(const options& o, messages& job, simulation& s) {
  const auto total = static_cast<std::int64_t>(o.atom_count());
  const std::int64_t wanted = std::min<std::int64_t>(o.check_forces, total);
  const atoms& a = s.all_atoms();
  double largest_error = 0;
  double largest_force = 0;
  for (std::int64_t k = 0; k < wanted; ++k) {
    const std::int64_t id = k * (total / wanted);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::size_t i = find(a, id);
      const double force = sum(job, i < a.owned ? a.force[axis][i] : 0.0);
      const double above = energy_after_move(s, id, axis, step_a);
      const double below = energy_after_move(s, id, axis, -2 * step_a);
      energy_after_move(s, id, axis, step_a);
      largest_error = std::max(largest_error, std::abs(force + (above - below) / (2 * step_a)));
      largest_force = std::max(largest_force, std::abs(force));
    }
  }
  const std::string result = text(
      "%lld atoms: the forces, up to %.4f eV/A, differ from differences of the energy by at "
      "most %.1e eV/A",
      static_cast<long long>(wanted), largest_force, largest_error);
  if (!(largest_error < tolerance)) throw failure(result);
  if (job.rank() == 0) std::printf("%s\n", result.c_str());
}

}  // namespace md
