// The directory's order and its hash table; directory.hpp says what they are for.
#include "directory.hpp"

#include <algorithm>

namespace amr {

directory::directory(const int3& roots, std::vector<leaf> leaves) : roots_(roots), leaves_(std::move(leaves)) {
  std::sort(leaves_.begin(), leaves_.end(), [](const leaf& a, const leaf& b) { return a.key < b.key; });
  std::size_t slots = 4;
  while (slots < 2 * leaves_.size()) slots *= 2;
  table_.assign(slots, -1);
  std::vector<int> places;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    leaf& l = leaves_[i];
    if (places.size() <= static_cast<std::size_t>(l.owner)) places.resize(static_cast<std::size_t>(l.owner) + 1);
    l.place = places[static_cast<std::size_t>(l.owner)]++;
    std::size_t slot = mixed(l.key) & (slots - 1);
    while (table_[slot] >= 0) slot = (slot + 1) & (slots - 1);
    table_[slot] = static_cast<int>(i);
  }
}

int directory::find(const block_id& b) const {
  if (b.level < 0) return -1;
  const std::uint64_t key = key_of(b);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = mixed(key) & mask; table_[slot] >= 0; slot = (slot + 1) & mask) {
    if (leaves_[static_cast<std::size_t>(table_[slot])].key == key) return table_[slot];
  }
  return -1;
}

bool directory::is_inside(const block_id& b) const {
  for (int axis = 0; axis < 3; ++axis) {
    if (b.at[axis] < 0 || b.at[axis] >= roots_[axis] << b.level) return false;
  }
  return true;
}

}  // namespace amr
