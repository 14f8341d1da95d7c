// Refinement in four steps: each rank marks its blocks; all marks are gathered; every rank makes them consistent;
// blocks are split and merged. refine.hpp says what comes out.
#include "refine.hpp"

#include <algorithm>
#include <map>

namespace amr {
namespace {

using marks = std::vector<signed char>;  // in the directory's order: -1 coarser, 0 as it is, 1 finer

// What the objects ask for, of all blocks.
marks gather_wishes(const mesh& m) {
  std::vector<signed char> mine;
  for (const block& b : m.blocks) {
    const int level = id_of(b.key).level;
    const bool finer = b.touched && level < m.finest;
    const bool coarser = !b.touched && level > 0;
    mine.push_back(static_cast<signed char>(finer - coarser));
  }
  std::vector<int> counts(static_cast<std::size_t>(m.ranks)), starts(counts.size());
  for (const leaf& l : m.all.leaves()) ++counts[static_cast<std::size_t>(l.owner)];
  for (std::size_t r = 1; r < starts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  marks by_rank(m.all.leaves().size()), wanted(by_rank.size());
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_SIGNED_CHAR, by_rank.data(), counts.data(),
                 starts.data(), MPI_SIGNED_CHAR, m.comm);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const leaf& l = m.all.leaves()[i];
    wanted[i] = by_rank[static_cast<std::size_t>(starts[static_cast<std::size_t>(l.owner)] + l.place)];
  }
  return wanted;
}

class consistency {
 public:
  consistency(const mesh& m, marks& wanted) : m_(m), wanted_(wanted) {}

  // Raises marks until neighbours are one level apart at most, and blocks become coarser in eights only. Marks only
  // ever rise, so the order in which they are looked at does not matter.
  void reach() {
    for (std::size_t i = 0; i < wanted_.size(); ++i) to_look_at_.push_back(static_cast<int>(i));
    while (!to_look_at_.empty()) {
      const int entry = to_look_at_.back();
      to_look_at_.pop_back();
      keep_siblings_together(entry);
      raise_neighbours(entry);
    }
  }

 private:
  signed char& mark(int entry) { return wanted_[static_cast<std::size_t>(entry)]; }
  block_id id(int entry) const { return id_of(m_.all.leaves()[static_cast<std::size_t>(entry)].key); }

  void raise(int entry, int at_least) {
    if (mark(entry) >= at_least) return;
    mark(entry) = static_cast<signed char>(at_least);
    to_look_at_.push_back(entry);
  }

  void keep_siblings_together(int entry) {
    const block_id here = id(entry);
    if (here.level == 0) return;
    const block_id parent = parent_of(here);
    int agree = 0;
    for (int octant = 0; octant < 8; ++octant) {
      const int sibling = m_.all.find(child_of(parent, octant));
      agree += sibling >= 0 && mark(sibling) < 0;
    }
    if (agree == 8 || agree == 0) return;
    for (int octant = 0; octant < 8; ++octant) {
      if (const int sibling = m_.all.find(child_of(parent, octant)); sibling >= 0) raise(sibling, 0);
    }
  }

  // Finer neighbours never are too coarse; of the others, each is found by one of two look-ups.
  void raise_neighbours(int entry) {
    const block_id here = id(entry);
    const int level_then = here.level + mark(entry);
    if (mark(entry) < 0) return;
    for (int direction = 0; direction < 27; ++direction) {
      const int3 by{direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
      const int axes = (by[0] != 0) + (by[1] != 0) + (by[2] != 0);
      if (axes == 0 || (axes > 1 && m_.form.points == 7)) continue;
      const block_id beyond{here.level, {here.at[0] + by[0], here.at[1] + by[1], here.at[2] + by[2]}};
      if (!m_.all.is_inside(beyond)) continue;
      if (const int same = m_.all.find(beyond); same >= 0) {
        raise(same, level_then - 1 - here.level);
      } else if (const int coarser = m_.all.find(parent_of(beyond)); coarser >= 0) {
        raise(coarser, level_then - here.level);
      }
    }
  }

  const mesh& m_;
  marks& wanted_;
  std::vector<int> to_look_at_;
};

// Eight blocks that become one come to the rank of the first of them.
void bring_siblings_together(mesh& m, const marks& wanted) {
  std::vector<int> owners;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const leaf& l = m.all.leaves()[i];
    int owner = l.owner;
    if (wanted[i] < 0) {
      const int first = m.all.find(child_of(parent_of(id_of(l.key)), 0));
      owner = m.all.leaves()[static_cast<std::size_t>(first)].owner;
    }
    owners.push_back(owner);
  }
  move_blocks(m, owners);
}

void split_and_merge(mesh& m, const marks& wanted) {
  std::map<std::uint64_t, block> blocks;
  std::vector<leaf> leaves;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const leaf& l = m.all.leaves()[i];
    block* const own = l.owner == m.rank ? &m.blocks[static_cast<std::size_t>(l.place)] : nullptr;
    const block_id here = id_of(l.key);
    if (wanted[i] == 0) {
      leaves.push_back(l);
      if (own != nullptr) blocks[l.key] = std::move(*own);
    } else if (wanted[i] > 0) {
      for (int octant = 0; octant < 8; ++octant) {
        const std::uint64_t key = key_of(child_of(here, octant));
        leaves.push_back({key, l.owner, 0});
        if (own != nullptr) blocks[key] = split(*own, octant, m.form);
      }
      if (own != nullptr) *own = block();  // its memory is needed
    } else {
      const std::uint64_t key = key_of(parent_of(here));
      if (octant_of(here) == 0) leaves.push_back({key, l.owner, 0});
      if (own == nullptr) continue;
      block& parent = blocks[key];
      parent.key = key;
      merge(parent, *own, m.form);
      *own = block();
    }
  }
  m.blocks.clear();
  for (auto& [key, b] : blocks) m.blocks.push_back(std::move(b));
  m.all = directory(m.roots, std::move(leaves));
}

}  // namespace

refinement refine_once(mesh& m, const std::vector<object>& objects) {
  note_touched(m, objects);
  marks wanted = gather_wishes(m);
  consistency(m, wanted).reach();
  std::size_t size = wanted.size();
  bool merges = false, splits = false;
  for (const signed char mark : wanted) {
    if (mark > 0) size += 7;
    merges = merges || mark < 0;
    splits = splits || mark > 0;
  }
  if (size > most_blocks) return refinement::too_large;
  if (!merges && !splits) return refinement::none;
  if (merges) bring_siblings_together(m, wanted);
  split_and_merge(m, wanted);
  note_touched(m, objects);
  return refinement::done;
}

}  // namespace amr
