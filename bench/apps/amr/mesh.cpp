// Making a mesh, and blocks that change their owner; mesh.hpp says what is collective.
#include "mesh.hpp"

#include <algorithm>

namespace amr {

box mesh::box_of(const block_id& b) const {
  box result{};
  for (int axis = 0; axis < 3; ++axis) {
    const double across = roots[axis] << b.level;
    result.low[axis] = b.at[axis] / across;
    result.high[axis] = (b.at[axis] + 1) / across;
  }
  return result;
}

void make_roots(mesh& m, const options& o) {
  m.roots = o.blocks;
  m.finest = o.levels;
  m.form = {o.cells, o.variables, o.points};
  std::vector<leaf> leaves;
  const long long count = 1LL * o.blocks[0] * o.blocks[1] * o.blocks[2];
  for (int z = 0; z < o.blocks[2]; ++z) {
    for (int y = 0; y < o.blocks[1]; ++y) {
      for (int x = 0; x < o.blocks[0]; ++x) {
        const auto owner = static_cast<long long>(leaves.size()) * m.ranks / count;
        leaves.push_back({key_of({0, {x, y, z}}), static_cast<int>(owner), 0});
      }
    }
  }
  m.all = directory(m.roots, std::move(leaves));
  for (const leaf& l : m.all.leaves()) {
    if (l.owner != m.rank) continue;
    m.blocks.emplace_back();
    m.blocks.back().key = l.key;
  }
}

void fill(mesh& m) {
  for (block& b : m.blocks) set_start_values(b, m.form);
}

void note_touched(mesh& m, const std::vector<object>& objects) {
  for (block& b : m.blocks) {
    const box here = m.box_of(id_of(b.key));
    b.touched = std::any_of(objects.begin(), objects.end(), [&](const object& o) { return touches(o, here); });
  }
}

// One message for each block, so that no buffer is as large as a rank's share of the mesh. Both ends post them in the
// directory's order, which MPI keeps between two ranks.
void move_blocks(mesh& m, const std::vector<int>& new_owners) {
  std::vector<leaf> leaves = m.all.leaves();
  std::vector<block> kept, leaving;
  std::vector<MPI_Request> requests;
  const bool have_cells = !m.blocks.empty() && !m.blocks.front().cells.empty();
  int filled = have_cells;
  MPI_Allreduce(MPI_IN_PLACE, &filled, 1, MPI_INT, MPI_MAX, m.comm);
  const int length = static_cast<int>(m.form.doubles());
  leaving.reserve(m.blocks.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    leaf& l = leaves[i];
    const int old_owner = l.owner;
    l.owner = new_owners[i];
    if (old_owner != m.rank && l.owner != m.rank) continue;
    if (old_owner == m.rank) {
      block& b = m.blocks[static_cast<std::size_t>(l.place)];
      (l.owner == m.rank ? kept : leaving).push_back(std::move(b));
      if (l.owner == m.rank || filled == 0) continue;
      requests.emplace_back();
      MPI_Isend(leaving.back().cells.data(), length, MPI_DOUBLE, l.owner, 2, m.comm, &requests.back());
    } else {
      kept.emplace_back();  // moves the blocks, but not their cells
      kept.back().key = l.key;
      if (filled == 0) continue;
      kept.back().cells.resize(m.form.doubles());
      requests.emplace_back();
      MPI_Irecv(kept.back().cells.data(), length, MPI_DOUBLE, old_owner, 2, m.comm, &requests.back());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  m.blocks = std::move(kept);
  m.all = directory(m.roots, std::move(leaves));
}

block_counts count(const mesh& m) {
  block_counts result;
  result.per_level.resize(static_cast<std::size_t>(m.finest) + 1);
  std::vector<int> per_rank(static_cast<std::size_t>(m.ranks));
  for (const leaf& l : m.all.leaves()) {
    ++result.per_level[static_cast<std::size_t>(id_of(l.key).level)];
    ++per_rank[static_cast<std::size_t>(l.owner)];
  }
  result.least = *std::min_element(per_rank.begin(), per_rank.end());
  result.most = *std::max_element(per_rank.begin(), per_rank.end());
  result.all = static_cast<long long>(m.all.leaves().size());
  return result;
}

}  // namespace amr
