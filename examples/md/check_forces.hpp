// A test of a potential by itself: the force on an atom must be minus the derivative of the total energy.
#pragma once

#include "messages.hpp"
#include "options.hpp"
#include "simulation.hpp"

namespace md {

/// Compares for o.check_forces atoms, spread over the crystal; prints the largest difference. All ranks call it
/// together. Throws failure if the difference is too large.
void check_forces(const options& o, messages& job, simulation& s);

}  // namespace md
