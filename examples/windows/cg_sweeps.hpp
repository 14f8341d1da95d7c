// The preconditioner of experiment 2: symmetric Gauss-Seidel, a sweep over the rows forwards and one backwards.
//
// Row i needs its neighbours' solutions, those before it of this sweep and those behind it of the one before. All ways
// to sweep one shared subdomain keep to that for every row, so that they leave the bits of a serial sweep:
//
//   levels    rows that do not need each other are a level (Saltz 1990); the ranks share each level, a fence behind it
//   doacross  each rank has a strip of rows along y of every plane, and is a little behind the rank before it: in each
//             plane it waits for that rank's strip, and at its last row for the first row, a plane ago, of the rank
//             behind
#pragma once

#include <memory>
#include <string>

#include "cg_matrix.hpp"
#include "team.hpp"

namespace windows {

/// What the ranks share of a solution, each vector as one array.
struct shared_vectors {
  shared_vectors(team& ranks, const mesh& points);

  window<double> r, z, p;
};

class preconditioner {
 public:
  virtual ~preconditioner() = default;
  /// z = M^-1 r. By all ranks, which have written r in their planes before, and may read z there behind it.
  virtual void apply(shared_vectors& on) = 0;
};

/// method: a word of cg_options::methods. By all ranks together. subdomains: of "own", each of whole planes; the ranks
/// share them.
std::unique_ptr<preconditioner> make_preconditioner(const std::string& method, team& ranks, const matrix& of,
                                                    int subdomains);

}  // namespace windows
