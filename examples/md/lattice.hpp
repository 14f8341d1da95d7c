// The start: a face-centred cubic crystal, randomly displaced and moving, the same for any number of ranks.
#pragma once

#include <cstdint>
#include <span>

#include "atoms.hpp"
#include "grid.hpp"
#include "messages.hpp"

namespace md {

inline constexpr int atoms_per_unit_cell = 4;

/// Throws failure if the crystal cannot fit the memory of any machine like this one.
void check_size(double atoms_in_job, int ranks);

/// A hole in the crystal: the centre in fractions of the box, the radius in fractions of its shortest edge. Periodic,
/// as the box is.
struct sphere {
  vec3 centre;
  double radius;
};

/// The atoms of an nx x ny x nz crystal whose sites lie in this rank's sub-box, each at most delta away from its site
/// on each axis, but for sites in one of `voids`. The atoms may lie outside the sub-box by as much.
atoms make_crystal(const int3& unit_cells, double lattice_constant, double delta, std::uint64_t seed, const grid& g,
                   std::span<const sphere> voids);

/// Maxwell-distributed velocities, then shifted and scaled so that the momentum is zero and the kinetic energy is
/// exactly 3/2 k T per atom.
void set_temperature(atoms& a, double temperature_k, double mass, std::uint64_t seed, messages& job);

}  // namespace md
