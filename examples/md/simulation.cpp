// Velocity Verlet around one function that brings forces up to date.
#include "simulation.hpp"

#include <cmath>

#include "failure.hpp"
#include "lattice.hpp"
#include "text.hpp"
#include "units.hpp"

namespace md {
namespace {

vec3 box_of(const options& o, const potential& p) {
  const double a = o.lattice_constant > 0 ? o.lattice_constant : p.lattice_constant();
  return {o.unit_cells[0] * a, o.unit_cells[1] * a, o.unit_cells[2] * a};
}

// Adds the time since the last call to a sum.
class stopwatch {
 public:
  void add_to(double& sum_s) {
    const double now_s = messages::wtime_s();
    sum_s += now_s - last_s_;
    last_s_ = now_s;
  }

 private:
  double last_s_ = messages::wtime_s();
};

}  // namespace

double observation::temperature_k() const { return kinetic_ev / (1.5 * boltzmann_ev_per_k * atoms); }

simulation::simulation(const options& o, messages& job, const loops& l, potential& p)
    : job_(job),
      potential_(p),
      dt_fs_(o.dt_fs),
      flow_(o.flow),
      grid_(make_grid(job.size(), job.rank(), box_of(o, p), p.cutoff(), o.grid)),
      exchange_(job, grid_, p.cutoff(), o.atom_count()),
      cells_(grid_, p.cutoff()),
      rows_(cells_, l),
      atoms_(make_crystal(o.unit_cells, grid_.box[0] / o.unit_cells[0], o.delta, o.seed, grid_, o.voids)),
      atom_count_(static_cast<double>(atoms_.owned)) {
  job_.sum(std::span(&atom_count_, 1));
  if (atom_count_ == 0) throw failure("--void leaves no atom in the box");
  set_temperature(atoms_, o.temperature_k, p.mass(), o.seed, job);
  for (unsigned axis = 0; axis < 3; ++axis) {
    // Atoms are handed on to the next rank along an axis, in each step.
    if (std::abs(flow_[axis]) * dt_fs_ > grid_.box[axis] / grid_.ranks[axis] / 2) {
      throw failure(
          text("--drift moves atoms %g A in a step of %g fs, more than half of a rank's %.4g A: a smaller --dt "
               "or --drift helps",
               std::abs(flow_[axis]) * dt_fs_, dt_fs_, grid_.box[axis] / grid_.ranks[axis]));
    }
    for (double& v : atoms_.velocity[axis]) v += flow_[axis];
  }
  update_forces();
  times_ = {};
  exchange_.reset_total();
}

void simulation::update_forces() {
  stopwatch watch;
  for (auto& p : atoms_.position) p.resize(atoms_.owned);  // the ghosts of the last step go
  exchange_.migrate(atoms_);
  watch.add_to(times_.exchange);
  cells_.sort_owned(atoms_);
  watch.add_to(times_.pairs);
  exchange_.make_ghosts(atoms_);
  watch.add_to(times_.exchange);
  cells_.list_ghosts(atoms_, exchange_);
  pairs_.find(atoms_, cells_, rows_, potential_.cutoff());
  watch.add_to(times_.pairs);
  const double before_s = exchange_.total().time_s;
  my_potential_ev_ = potential_.compute(atoms_, pairs_, rows_, exchange_);
  const double messages_s = exchange_.total().time_s - before_s;
  watch.add_to(times_.forces);
  times_.forces -= messages_s;
  times_.exchange += messages_s;
}

void simulation::kick(double dt_fs) {
  const double factor = dt_fs / potential_.mass();
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < atoms_.owned; ++i) atoms_.velocity[axis][i] += factor * atoms_.force[axis][i];
  }
}

void simulation::drift(double dt_fs) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < atoms_.owned; ++i) atoms_.position[axis][i] += dt_fs * atoms_.velocity[axis][i];
  }
}

void simulation::step() {
  stopwatch watch;
  kick(dt_fs_ / 2);
  drift(dt_fs_);
  watch.add_to(times_.integrate);
  update_forces();
  stopwatch again;
  kick(dt_fs_ / 2);
  again.add_to(times_.integrate);
}

double simulation::computing_s() const {
  return times_.integrate + times_.exchange + times_.pairs + times_.forces - exchange_.total().time_s;
}

observation simulation::observe() {
  std::array<double, 8> sums{my_potential_ev_, 0, static_cast<double>(atoms_.owned), 0, 0, 0, 0, 0};
  const double mass = potential_.mass();
  for (std::size_t i = 0; i < atoms_.owned; ++i) {
    double v2 = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double v = atoms_.velocity[axis][i] - flow_[axis];
      v2 += v * v;
      sums[3 + axis] += mass * v;
    }
    sums[1] += 0.5 * mass * v2;
    sums[6] += mass * std::sqrt(v2);
  }
  sums[7] = exchange_.crowded() ? 1 : 0;
  job_.sum(sums);
  if (sums[7] > 0) {
    throw failure(
        text("atoms crowd near the borders of %.0f of %d ranks, twice as many as in an even crystal: "
             "a smaller --dt or --temperature may help",
             sums[7], job_.size()));
  }
  return {.potential_ev = sums[0],
          .kinetic_ev = sums[1],
          .atoms = sums[2],
          .momentum = {sums[3], sums[4], sums[5]},
          .momentum_scale = sums[6]};
}

}  // namespace md
