// All blocks of the mesh and who owns them. Every rank has the whole directory, so finding a neighbour needs no
// message; 20 bytes and two places of a hash table for each block of the mesh are what this costs each rank.
//
// Entries are sorted by key, and so are the blocks that a rank keeps: `place` is an entry's index among its owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_id.hpp"

namespace amr {

struct leaf {
  std::uint64_t key;
  int owner;
  int place;
};

class directory {
 public:
  directory() = default;
  directory(const int3& roots, std::vector<leaf> leaves);

  [[nodiscard]] const std::vector<leaf>& leaves() const { return leaves_; }
  // The index of the block's entry, or -1 where the mesh is coarser or finer there.
  [[nodiscard]] int find(const block_id& b) const;
  [[nodiscard]] bool is_inside(const block_id& b) const;

 private:
  int3 roots_{};
  std::vector<leaf> leaves_;
  std::vector<int> table_;  // open addressing: index of an entry, or -1
};

}  // namespace amr
