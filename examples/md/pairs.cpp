// Finding pairs: cell by cell, candidates side by side, so that distances are computed by vector instructions.
#include "pairs.hpp"

namespace md {
namespace {

// The squared distances from one point to n others. A loop of its own, so that it becomes vector instructions.
void squared_distances(double x, double y, double z, const double* __restrict xs, const double* __restrict ys,
                       const double* __restrict zs, double* __restrict distance2, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double dx = xs[k] - x;
    const double dy = ys[k] - y;
    const double dz = zs[k] - z;
    distance2[k] = dx * dx + dy * dy + dz * dz;
  }
}

// Writes the index of every point closer than the cutoff and returns how many. Writes always and advances sometimes: a
// branch would be mispredicted for every sixth candidate. There must be room for n.
std::size_t keep_close(const double* __restrict distance2, const std::uint32_t* __restrict index, std::size_t n,
                       double cutoff2, std::uint32_t* __restrict out) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n; ++k) {
    out[kept] = index[k];
    kept += distance2[k] < cutoff2 ? 1 : 0;
  }
  return kept;
}

}  // namespace

void pair_list::gather(const atoms& a, indices members) {
  for (const std::uint32_t i : members) {
    index_.push_back(i);
    x_.push_back(a.position[0][i]);
    y_.push_back(a.position[1][i]);
    z_.push_back(a.position[2][i]);
  }
}

void pair_list::find(const atoms& a, const cells& c, double cutoff) {
  of_atom_.resize(a.owned);
  std::size_t found = 0;
  for (std::size_t cell = 0; cell < c.owned_count(); ++cell) {
    const auto home = c.members(cell);
    if (home.empty()) continue;
    index_.clear();
    x_.clear();
    y_.clear();
    z_.clear();
    gather(a, home);
    std::size_t owned = home.size();
    for (const std::uint32_t other : c.higher_neighbours(cell)) {
      gather(a, c.members(other));
      if (other < c.owned_count()) owned = index_.size();
    }
    distance2_.resize(index_.size());

    // Of two atoms of the same cell the earlier one has the pair.
    for (std::size_t k = 0; k < home.size(); ++k) {
      const std::size_t rest = k + 1;
      if (partners_.size() < found + index_.size()) partners_.resize(2 * (found + index_.size()));
      squared_distances(x_[k], y_[k], z_[k], x_.data() + rest, y_.data() + rest, z_.data() + rest,
                        distance2_.data() + rest, index_.size() - rest);
      const auto keep = [&](std::size_t begin, std::size_t end) {
        found += keep_close(distance2_.data() + begin, index_.data() + begin, end - begin, cutoff * cutoff,
                            partners_.data() + found);
      };
      places& p = of_atom_[home[k]];
      p.owned = found;
      keep(rest, owned);
      p.ghosts = found;
      keep(owned, index_.size());
      p.end = found;
    }
  }
}

}  // namespace md
