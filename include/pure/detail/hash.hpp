// A hash that is the same in all processes: FNV-1a (Fowler, Noll, Vo), 64 bits. Not for programs.
#pragma once

#include <cstdint>
#include <string_view>

namespace pure::detail {

inline constexpr std::uint64_t hash_of_nothing = 0xcbf29ce484222325U;

constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint32_t next) noexcept {
  return (hash ^ next) * 0x100000001b3U;
}

constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = hash_of_nothing) noexcept {
  for (const char each : text) hash = hash_with(hash, static_cast<unsigned char>(each));
  return hash;
}

}  // namespace pure::detail
