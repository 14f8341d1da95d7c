// Conjugate gradients of experiment 2, and the serial program that it is compared with.
//
// Each rank has the planes share(nz, rank, ranks) of every vector. The sum of a dot product is taken plane by plane,
// and then over the planes in their order, so that it has the same bits for any number of ranks.
#pragma once

#include <vector>

#include "cg_matrix.hpp"
#include "cg_sweeps.hpp"
#include "team.hpp"

namespace windows {

struct limits {
  double tolerance = 1e-8;  ///< of the residual, in parts of the first one
  int most_iterations = 1000;
};

struct solution {
  std::vector<double> history;  ///< the 2-norm of the residual, before the first iteration and behind each
  double seconds = 0;
  double seconds_in_sweeps = 0;
  double error = 0;  ///< the largest of a component, against the solution that the right side was made from

  [[nodiscard]] int iterations() const { return static_cast<int>(history.size()) - 1; }
  [[nodiscard]] bool has_converged(const limits& to) const { return history.back() < to.tolerance * history.front(); }
};

/// A component of the solution from which the right side is made: neither smooth nor constant, which would be too easy.
double exact_solution(int row);

/// By all ranks together. vectors: of zeros, or from a solution before.
solution solve(team& ranks, const matrix& a, shared_vectors& vectors, preconditioner& m, const limits& to);

/// The history of one rank alone, that has no matrix and no windows, with that many subdomains.
std::vector<double> serial_history(const mesh& points, double diagonal, int subdomains, const limits& to);

}  // namespace windows
