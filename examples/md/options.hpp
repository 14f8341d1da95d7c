// What the user may choose on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lattice.hpp"
#include "loops.hpp"
#include "vec3.hpp"

namespace md {

struct options {
  int3 unit_cells{20, 20, 20};
  int3 grid{};  // all zero: chosen by the program
  std::int64_t steps = 100;
  std::int64_t print_every = 10;
  double dt_fs = 1;
  double temperature_k = 600;
  double delta = 0;             // angstrom
  vec3 flow{};                  // angstrom / fs: of the whole crystal
  double lattice_constant = 0;  // angstrom; 0: the potential's
  bool eam = false;
  std::string file = "/usr/share/lammps/potentials/Cu_u6.eam";
  std::string xyz;  // a file for all atoms at each printed step; empty: none
  std::vector<sphere> voids;
  tasks share = tasks::none;
  std::uint64_t seed = 1;
  int check_forces = 0;

  /// Of the crystal without voids.
  [[nodiscard]] double atom_count() const;
};

/// Nothing when `o` is filled in; otherwise the exit status, with help or an error having been printed if `speaks`.
std::optional<int> parse(int argc, char** argv, bool speaks, options& o);

}  // namespace md
