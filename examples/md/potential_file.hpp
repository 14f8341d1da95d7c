// Reads potential files in DYNAMO's "funcfl" format: the tables of the embedded-atom method for one element.
//
//   line 1      a comment
//   line 2      atomic number, mass (amu), lattice constant (angstrom), lattice type
//   line 3      n_rho, d_rho, n_r, d_r, cutoff (angstrom)
//   then        n_rho values of the embedding energy F(rho) in eV, at 0, d_rho, ...
//               n_r values of the effective charge Z(r), at 0, d_r, ...; the pair energy is 27.2 * 0.529 Z^2 / r eV
//               n_r values of the electron density rho(r)
#pragma once

#include <string>
#include <vector>

#include "messages.hpp"

namespace md {

struct eam_tables {
  std::string name;  // of the file, without its folder
  int atomic_number = 0;
  double mass_amu = 0;
  double lattice_constant = 0;
  double cutoff = 0;
  double step_rho = 0;
  double step_r = 0;
  std::vector<double> embedding;
  std::vector<double> charge;
  std::vector<double> density;
};

/// Throws failure, which says what is wrong and in which line. `name` is only for its text.
eam_tables parse_funcfl(const std::string& contents, const std::string& name);

/// The same for a file that rank 0 alone reads. All ranks call it; what is thrown is thrown on every rank.
eam_tables read_funcfl(messages& job, const std::string& path);

}  // namespace md
