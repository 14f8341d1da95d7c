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

// The atoms of a cell and of its higher neighbours, side by side; owned atoms first.
struct candidates {
  std::vector<double> x, y, z, distance2;
  std::vector<std::uint32_t> index;

  void clear() {
    index.clear();
    x.clear();
    y.clear();
    z.clear();
  }
  void add(const atoms& a, pair_list::indices members) {
    for (const std::uint32_t i : members) {
      index.push_back(i);
      x.push_back(a.position[0][i]);
      y.push_back(a.position[1][i]);
      z.push_back(a.position[2][i]);
    }
  }
};

}  // namespace

void pair_list::find(const atoms& a, const cells& c, const rows& all, double cutoff) {
  of_atom_.resize(a.owned);
  of_row_.resize(all.count());
  all.for_each([&](const row& r) { find_in_row(a, c, r, cutoff); });
}

void pair_list::find_in_row(const atoms& a, const cells& c, const row& r, double cutoff) {
  thread_local candidates near;  // of whoever does the row, which may be another rank
  partners& list = of_row_[r.number];
  std::size_t found = 0;
  for (std::size_t cell = r.first_cell; cell < r.last_cell; ++cell) {
    const auto home = c.members(cell);
    if (home.empty()) continue;
    near.clear();
    near.add(a, home);
    std::size_t owned = home.size();
    for (const std::uint32_t other : c.higher_neighbours(cell)) {
      near.add(a, c.members(other));
      if (other < c.owned_count()) owned = near.index.size();
    }
    const std::size_t all = near.index.size();
    near.distance2.resize(all);

    // Of two atoms of the same cell the earlier one has the pair.
    for (std::size_t k = 0; k < home.size(); ++k) {
      const std::size_t rest = k + 1;
      if (list.size() < found + all) list.resize(2 * (found + all));
      squared_distances(near.x[k], near.y[k], near.z[k], near.x.data() + rest, near.y.data() + rest,
                        near.z.data() + rest, near.distance2.data() + rest, all - rest);
      const auto keep = [&](std::size_t begin, std::size_t end) {
        found += keep_close(near.distance2.data() + begin, near.index.data() + begin, end - begin, cutoff * cutoff,
                            list.data() + found);
        return static_cast<std::uint32_t>(found);
      };
      places& p = of_atom_[home[k]];
      p.row = static_cast<std::uint32_t>(r.number);
      p.owned = static_cast<std::uint32_t>(found);
      p.ghosts = keep(rest, owned);
      p.end = keep(owned, all);
    }
  }
}

}  // namespace md
