// Copies of any number of bytes, where the places of the two buffers do not matter.
//
// memcpy of glibc copies more than 2 KB by one instruction (rep movsb). It may be many times slower where the target is
// 1 to 15 bytes ahead of the source modulo a page, as arrays lie of which one is sent from its first element, and the
// other received into from the next. A loop of blocks takes hardly longer for them than for others (D-row-copy).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pure::core {

constexpr std::size_t longest_row_for_memcpy = 2048;  // however the two lie

inline bool are_apart_badly(const void* to, const void* from) noexcept {
  constexpr std::uintptr_t page = 4096, worst = 15;
  const std::uintptr_t ahead = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
  return ahead - 1 < worst;  // unsigned: not 0
}

[[gnu::noinline]] inline void copy_row_in_blocks(void* to, const void* from, std::size_t bytes) noexcept {
  using word [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = unsigned char;
  constexpr std::size_t words = 4, block = words * sizeof(word);
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
  constexpr std::size_t ahead = 512;
  for (; bytes >= block; bytes -= block, t += block, f += block) {
    if (bytes > ahead) __builtin_prefetch(f + ahead);  // nothing behind the end: somebody may be writing there
    const word* const in = reinterpret_cast<const word*>(f);
    const word a = in[0], b = in[1], c = in[2], d = in[3];
    word* const out = reinterpret_cast<word*>(t);
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
  }
  std::memcpy(t, f, bytes);
}

/// As memcpy: the two do not overlap, and neither is null.
inline void copy_row(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes > longest_row_for_memcpy && are_apart_badly(to, from)) [[unlikely]] {
    copy_row_in_blocks(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// As copy_row, for bytes that another core has just written.
inline void copy_fetched_row(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes > longest_row_for_memcpy) {
    copy_row_in_blocks(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace pure::core
