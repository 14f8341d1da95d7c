// How elements of a window are combined, where they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pure/detail/collectives.hpp>

#include "base/small_copy.hpp"
#include "window/element_atomics.hpp"
#include "window/target_control.hpp"
#include "window/window_group.hpp"

namespace pure::core {

/// How an atomic operation makes a new element of the one that is there and the origin's.
struct combination {
  enum class kind : std::uint8_t { combine, replace, none };

  kind what = kind::combine;
  detail::reduction how;  // of combine
  std::size_t element_bytes = 0;
};

inline constexpr std::size_t largest_element = 64;
static_assert(largest_element <= target_control::stripe_bytes, "an element is in two stripes at most");

/// Room for the elements of one stripe.
struct alignas(largest_element) stripe_room {
  std::byte bytes[target_control::stripe_bytes];
};

/// A call of memcpy takes longer than to copy an element.
inline void copy_elements(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= 40) {
    copy_at_most_40(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}
[[gnu::noinline]] inline void combine_unaligned(const combination& how, std::byte* at, const std::byte* from,
                                                std::size_t bytes) {
  stripe_room aligned;
  std::memcpy(aligned.bytes, at, bytes);
  how.how.combine(how.how.context, aligned.bytes, from, aligned.bytes, bytes / how.element_bytes);
  std::memcpy(at, aligned.bytes, bytes);
}

/// One atomic operation on elements of one stripe, or on one that goes across its end.
struct elements {
  const combination& how;
  std::size_t alignment;

  /// There, by the holder of the lock: the elements at `at`, which have `from` from the origin.
  void combine(std::byte* at, const std::byte* from, std::size_t bytes) const {
    switch (how.what) {
      case combination::kind::none: return;
      case combination::kind::replace: copy_elements(at, from, bytes); return;
      case combination::kind::combine: break;
    }
    if (!is_aligned(at)) [[unlikely]]
      return combine_unaligned(how, at, from, bytes);
    // To divide takes longer than to add.
    how.how.combine(how.how.context, at, from, at, bytes == how.element_bytes ? 1 : bytes / how.element_bytes);
  }
  [[nodiscard]] bool is_aligned(const void* at) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(at) & (alignment - 1)) == 0;
  }
};

/// The greatest alignment that a type of so many bytes may ask for.
constexpr std::size_t alignment_for(std::size_t element_bytes) noexcept {
  return std::min<std::size_t>(element_bytes & -element_bytes, alignof(std::max_align_t));
}

inline bool uses_instructions(const window_group& of, const void* at, std::size_t element_bytes) noexcept {
  return of.options().atomics == atomics_by::hardware && has_atomic_instructions(at, element_bytes);
}

/// Of one element that the processor changes by an instruction.
[[gnu::noinline]] inline void accumulate_by_instruction(const elements& each, std::byte* place, std::size_t bytes,
                                                        const std::byte* from, std::byte* before) {
  std::uint64_t was = 0;
  change_atomically(place, bytes, &was, [&](const void* old, void* made) {
    alignas(std::uint64_t) std::byte room[largest_element];
    std::memcpy(room, old, bytes);
    each.combine(room, from, bytes);
    std::memcpy(made, room, bytes);
  });
  if (before != nullptr) std::memcpy(before, &was, bytes);
}

/// The elements from the one at `offset` on that are in its stripe, in bytes; that one alone, if it goes across the
/// end.
inline std::size_t left_in_stripe(std::size_t offset, std::size_t element_bytes) noexcept {
  return std::max(target_control::left_in_stripe(offset) / element_bytes, std::size_t{1}) * element_bytes;
}

}  // namespace pure::core
