// What every potential offers to the simulation. One object per rank.
#pragma once

#include <memory>
#include <string>

#include "atoms.hpp"
#include "exchange.hpp"
#include "pairs.hpp"
#include "rows.hpp"

namespace md {

class potential {
 public:
  virtual ~potential() = default;

  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual double cutoff() const = 0;            // angstrom
  [[nodiscard]] virtual double mass() const = 0;              // eV fs^2 / angstrom^2
  [[nodiscard]] virtual double lattice_constant() const = 0;  // angstrom

  /// Sets the force on every owned atom and returns this rank's share of the potential energy: pairs of two owned atoms
  /// whole, pairs with a ghost half. All ranks call it together.
  virtual double compute(atoms& a, const pair_list& pairs, rows& all, exchange& halo) = 0;
};

/// Lennard-Jones for copper, cut at 2.5 sigma and shifted to zero there: CoMD's.
std::unique_ptr<potential> make_lennard_jones();

struct eam_tables;
/// The embedded-atom method with the tables of a potential file.
std::unique_ptr<potential> make_eam(const eam_tables& tables);

}  // namespace md
