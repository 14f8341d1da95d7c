// Choosing and checking the rank grid.
#include "grid.hpp"

#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "text.hpp"

namespace md {
namespace {

// A cell is at least as wide as the cutoff and costs some bytes even if it is empty.
constexpr double most_cells = 3e8;

bool thick_enough(const int3& ranks, const vec3& box, double cutoff) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (box[axis] / ranks[axis] < cutoff) return false;
  }
  return true;
}

// The sub-box with its ghosts: what a rank computes on and, but for the sub-box itself, what it is sent.
double volume_with_ghosts(const int3& ranks, const vec3& box, double cutoff) {
  double volume = 1;
  for (unsigned axis = 0; axis < 3; ++axis) volume *= box[axis] / ranks[axis] + 2 * cutoff;
  return volume;
}

// All zero if there is none.
int3 best_grid(int size, const vec3& box, double cutoff) {
  int3 best{};
  double least = std::numeric_limits<double>::infinity();
  for (int p = 1; p <= size; ++p) {
    for (int q = 1; size % p == 0 && q <= size / p; ++q) {
      if (size / p % q != 0) continue;
      const int3 ranks{p, q, size / p / q};
      const double volume = volume_with_ghosts(ranks, box, cutoff);
      if (!thick_enough(ranks, box, cutoff) || volume >= least) continue;
      least = volume;
      best = ranks;
    }
  }
  return best;
}

std::string no_room(const vec3& box, double cutoff) {
  int3 most{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    most[axis] = static_cast<int>(std::min(box[axis] / cutoff, 1e9));
  }
  const std::string sizes = text("the box is %.2f x %.2f x %.2f angstrom and the cutoff %.4g", box[0], box[1], box[2],
                                 cutoff);
  if (std::min({most[0], most[1], most[2]}) == 0) {
    return sizes + ", so not even one rank has room: enlarge the lattice (--nx --ny --nz)";
  }
  return sizes + text(", so at most %d x %d x %d ranks fit", most[0], most[1], most[2]);
}

void check(const int3& wanted, int size, const vec3& box, double cutoff) {
  const auto [p, q, r] = wanted;
  if (p < 1 || q < 1 || r < 1) throw failure(text("--grid %dx%dx%d: each number must be at least 1", p, q, r));
  if (const long long product = 1LL * p * q * r; product != size) {
    throw failure(text("--grid %dx%dx%d has %lld ranks, but this job has %d", p, q, r, product, size));
  }
  if (!thick_enough(wanted, box, cutoff)) {
    throw failure(text("--grid %dx%dx%d: a sub-box would be thinner than the cutoff: ", p, q, r) +
                  no_room(box, cutoff));
  }
}

}  // namespace

int grid::neighbour(unsigned axis, side s) const {
  int3 at = position;
  at[axis] = (at[axis] + (s == plus ? 1 : ranks[axis] - 1)) % ranks[axis];
  return at[0] + ranks[0] * (at[1] + ranks[1] * at[2]);
}

double grid::shift(unsigned axis, side s) const {
  if (s == minus) return position[axis] == 0 ? box[axis] : 0.0;
  return position[axis] == ranks[axis] - 1 ? -box[axis] : 0.0;
}

grid make_grid(int size, int rank, const vec3& box, double cutoff, const int3& wanted) {
  int3 ranks = wanted;
  if (wanted != int3{}) {
    check(wanted, size, box, cutoff);
  } else {
    ranks = best_grid(size, box, cutoff);
    if (ranks == int3{}) {
      throw failure(text("%d rank%s cannot share this box: ", size, size == 1 ? "" : "s") + no_room(box, cutoff));
    }
  }
  if (volume_with_ghosts(ranks, box, cutoff) > most_cells * cutoff * cutoff * cutoff) {
    throw failure(
        text("the box of %.4g x %.4g x %.4g angstrom is too large for a cutoff of %.4g: use more ranks, or a "
             "smaller --lattice-constant",
             box[0], box[1], box[2], cutoff));
  }
  grid g{.ranks = ranks,
         .position = {rank % ranks[0], rank / ranks[0] % ranks[1], rank / ranks[0] / ranks[1]},
         .box = box,
         .low = {},
         .high = {}};
  for (unsigned axis = 0; axis < 3; ++axis) {
    g.low[axis] = box[axis] * g.position[axis] / ranks[axis];
    // The last one ends where the box does, which the product and quotient may miss by a rounding.
    const int next = g.position[axis] + 1;
    g.high[axis] = next == ranks[axis] ? box[axis] : box[axis] * next / ranks[axis];
  }
  return g;
}

}  // namespace md
