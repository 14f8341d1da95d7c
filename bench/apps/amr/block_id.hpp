// Which block: its level of refinement and its place on the grid of that level, packed into one integer, so that all
// ranks sort and compare blocks alike. Level 0 has the root blocks; each level has twice as many along every axis.
#pragma once

#include <array>
#include <cstdint>

namespace amr {

using int3 = std::array<int, 3>;
using vec3 = std::array<double, 3>;

constexpr int coordinate_bits = 19;  // three of them and the level fit into 64 bits
constexpr int most_levels = 12;

struct block_id {
  int level;
  int3 at;
};

inline std::uint64_t key_of(const block_id& b) {
  std::uint64_t key = static_cast<std::uint64_t>(b.level);
  for (int axis = 2; axis >= 0; --axis) key = key << coordinate_bits | static_cast<std::uint64_t>(b.at[axis]);
  return key;
}

inline block_id id_of(std::uint64_t key) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << coordinate_bits) - 1;
  block_id b{static_cast<int>(key >> 3 * coordinate_bits), {}};
  for (int axis = 0; axis < 3; ++axis) b.at[axis] = static_cast<int>(key >> axis * coordinate_bits & mask);
  return b;
}

inline block_id parent_of(const block_id& b) { return {b.level - 1, {b.at[0] / 2, b.at[1] / 2, b.at[2] / 2}}; }

// Bit `axis` of `octant` says which half along that axis.
inline block_id child_of(const block_id& b, int octant) {
  return {b.level + 1, {2 * b.at[0] + (octant & 1), 2 * b.at[1] + (octant >> 1 & 1), 2 * b.at[2] + (octant >> 2)}};
}

inline int octant_of(const block_id& b) { return (b.at[0] & 1) | (b.at[1] & 1) << 1 | (b.at[2] & 1) << 2; }

// The mixing step of splitmix64 (Steele, Lea, Flood 2014): start values and check sums are made with it.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace amr
