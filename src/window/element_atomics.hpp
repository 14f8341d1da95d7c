// Atomic operations on one element by instructions of the processor, for windows of hardware atomics: on aligned
// elements of 1, 2, 4 and 8 bytes. So std::atomic_ref on the same element excludes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pure::core {

/// Whether there are such instructions for an element at that place.
inline bool has_atomic_instructions(const void* at, std::size_t bytes) noexcept {
  const bool has_size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  return has_size && reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

/// Calls use(Word{}) with the unsigned type of so many bytes.
template <class Use>
decltype(auto) with_word_of(std::size_t bytes, Use use) {
  switch (bytes) {
    case 1: return use(std::uint8_t{});
    case 2: return use(std::uint16_t{});
    case 4: return use(std::uint32_t{});
    default: return use(std::uint64_t{});
  }
}

/// new = make(old): make(const Word* old, Word* made), where Word has so many bytes. `before` gets the old one.
template <class Make>
void change_atomically(void* at, std::size_t bytes, void* before, Make make) {
  with_word_of(bytes, [&]<class Word>(Word) {
    const std::atomic_ref<Word> element(*static_cast<Word*>(at));
    static_assert(std::atomic_ref<Word>::is_always_lock_free);
    // acquire: as in the exchange below; pairs with it in change_atomically() of others
    Word seen = element.load(std::memory_order_acquire);
    Word made = seen;
    do {
      make(&seen, &made);
      // acq_rel: who has read an element may rely on what its writer had stored before; pairs with change_atomically()
    } while (!element.compare_exchange_weak(seen, made, std::memory_order_acq_rel, std::memory_order_acquire));
    std::memcpy(before, &seen, sizeof seen);
  });
}

}  // namespace pure::core
