// One rank's part of the simulation: velocity Verlet with atoms handed on, ghosts refreshed and cells filled in every
// step. All ranks call its functions together.
#pragma once

#include <memory>

#include "atoms.hpp"
#include "cells.hpp"
#include "exchange.hpp"
#include "grid.hpp"
#include "loops.hpp"
#include "options.hpp"
#include "pairs.hpp"
#include "potential.hpp"
#include "rows.hpp"

namespace md {

/// Sums over all atoms of all ranks, as who drifts along with the crystal sees them.
struct observation {
  double potential_ev = 0;
  double kinetic_ev = 0;
  double atoms = 0;
  vec3 momentum{};            // eV fs / angstrom
  double momentum_scale = 0;  // what the momentum would be if all atoms moved the same way

  [[nodiscard]] double total_ev() const { return potential_ev + kinetic_ev; }
  [[nodiscard]] double temperature_k() const;
};

/// Where this rank's time went, in seconds since the start. In shared loops: until the last iteration was done.
struct time_spent {
  double integrate = 0;  // positions and velocities
  double exchange = 0;   // messages, packing them, and waiting for neighbours
  double pairs = 0;      // cells, and finding who is close to whom
  double forces = 0;
};

class simulation {
 public:
  /// Sets up the crystal and its forces. Throws failure when the box cannot be shared so.
  simulation(const options& o, messages& job, const loops& l, potential& p);

  /// One time step.
  void step();
  /// Throws failure if atoms crowd so much that ghosts are missing.
  [[nodiscard]] observation observe();

  /// Atoms of all ranks at the start.
  [[nodiscard]] double atom_count() const { return atom_count_; }
  [[nodiscard]] const grid& rank_grid() const { return grid_; }
  [[nodiscard]] const time_spent& times() const { return times_; }
  [[nodiscard]] const exchange::traffic& traffic() const { return exchange_.total(); }
  /// The time that this rank did not spend in messages, in seconds since the start.
  [[nodiscard]] double computing_s() const;

  // --- for checks: the atoms, and the energy and forces where they are now ---
  [[nodiscard]] atoms& all_atoms() { return atoms_; }
  void update_forces();

 private:
  void kick(double dt_fs);
  void drift(double dt_fs);

  messages& job_;
  potential& potential_;
  double dt_fs_;
  vec3 flow_;
  grid grid_;
  exchange exchange_;
  cells cells_;
  rows rows_;
  atoms atoms_;
  double atom_count_;
  pair_list pairs_;
  double my_potential_ev_ = 0;
  time_spent times_;
};

}  // namespace md
