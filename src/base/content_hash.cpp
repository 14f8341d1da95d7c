#include "base/content_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pure::core {

std::uint64_t content_of(const void* data, std::size_t bytes) noexcept {
  // Four chains of multiplications, so that they overlap. The multiplier is odd, so each step is one to one: a change
  // of one word changes its chain.
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio
  constexpr std::size_t word = sizeof(std::uint64_t), lanes = 4;
  const auto* at = static_cast<const std::byte*>(data);
  std::uint64_t chains[lanes] = {bytes + 1, odd, ~odd, odd >> 1U};
  const auto mix = [](std::uint64_t chain, std::uint64_t next) { return std::rotl((chain ^ next) * odd, 29); };
  for (; bytes >= lanes * word; bytes -= lanes * word, at += lanes * word) {
    std::uint64_t next[lanes];
    std::memcpy(next, at, sizeof next);
    for (std::size_t i = 0; i < lanes; ++i) chains[i] = mix(chains[i], next[i]);
  }
  for (std::size_t i = 0; bytes > 0; ++i) {
    const std::size_t some = std::min(bytes, word);
    std::uint64_t next = 0;
    std::memcpy(&next, at, some);
    chains[i] = mix(chains[i], next);
    bytes -= some;
    at += some;
  }
  return mix(mix(mix(chains[0], chains[1]), chains[2]), chains[3]);
}

}  // namespace pure::core
