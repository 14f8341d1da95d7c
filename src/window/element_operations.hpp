// Atomic operations on elements of a window, where they lie: of the ranks that address the memory (operations.cpp), and
// of ranks that reach it by messages (process_windows.cpp). What differs is who can wait for a stripe: a `Locks` says
// how the stripes are got,
//
//   bool with_stripe(offset, act)         calls act() under the stripe of that byte of the part
//   bool with_both(offset, bytes, act)    the same under the stripes of the first byte and the last one
//
// and returns false if it has not called act(), because somebody holds a stripe and the caller cannot wait: then
// nothing has changed.
// Modelled by tests/model/stripe.pml.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/small_copy.hpp"
#include "window/combination.hpp"
#include "window/element_atomics.hpp"
#include "window/target_control.hpp"
#include "window/window_group.hpp"

namespace pure::core {

static_assert(largest_element <= target_control::stripe_bytes, "an element is in two stripes at most");

/// Room for the elements of one stripe.
struct alignas(largest_element) stripe_room {
  std::byte bytes[target_control::stripe_bytes];
};

/// A call of memcpy takes longer than to copy an element; this one is inline whichever sources are compiled together.
[[gnu::always_inline]] inline void copy_elements(void* to, const void* from, std::size_t bytes) noexcept {
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
  [[gnu::always_inline]] void combine(std::byte* at, const std::byte* from, std::size_t bytes) const {
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

/// The elements from the one at `offset` on that are in its stripe, in bytes; that one alone, if it goes across the
/// end.
inline std::size_t left_in_stripe(std::size_t offset, std::size_t element_bytes) noexcept {
  return std::max(target_control::left_in_stripe(offset) / element_bytes, std::size_t{1}) * element_bytes;
}

/// Elements of one stripe of a rank, or one element. Addresses stand for offsets in dynamic windows.
struct element_piece {
  std::byte* place;
  std::size_t offset;  // of the place, in that rank's memory
  std::size_t bytes;
  bool by_instruction;  // then it is one element

  [[nodiscard]] bool is_across() const noexcept {
    return !by_instruction && bytes > target_control::left_in_stripe(offset);
  }
};

/// What is first of `bytes` in a row from `place` on.
inline element_piece first_piece(const window_group& of, const window_group::target& its, std::byte* place,
                                 std::size_t bytes, std::size_t element_bytes) noexcept {
  const auto offset = static_cast<std::size_t>(place - its.base);
  if (uses_instructions(of, place, element_bytes)) return {place, offset, element_bytes, true};
  return {place, offset, std::min(bytes, left_in_stripe(offset, element_bytes)), false};
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

/// A piece that is not across. `from`: what the origin has for it, aligned. `before`: where what was there goes, or
/// null.
template <class Locks>
[[gnu::always_inline]] inline bool accumulate_inside(Locks locks, const elements& each, const element_piece& there,
                                                     const std::byte* from, std::byte* before) {
  if (there.by_instruction) {
    accumulate_by_instruction(each, there.place, there.bytes, from, before);
    return true;
  }
  return locks.with_stripe(there.offset, [&] {
    if (before != nullptr) copy_elements(before, there.place, there.bytes);
    each.combine(there.place, from, there.bytes);
  });
}

/// Any piece.
template <class Locks>
[[gnu::noinline]] bool accumulate_piece(Locks locks, const elements& each, const element_piece& there,
                                        const std::byte* from, std::byte* before) {
  if (!there.is_across()) return accumulate_inside(locks, each, there, from, before);
  return locks.with_both(there.offset, there.bytes, [&] {
    if (before != nullptr) copy_elements(before, there.place, there.bytes);
    each.combine(there.place, from, there.bytes);
  });
}

inline bool are_equal(const void* one, const void* other, std::size_t bytes) noexcept {
  return bytes == sizeof(std::uint64_t) ? std::memcmp(one, other, sizeof(std::uint64_t)) == 0
                                        : std::memcmp(one, other, bytes) == 0;
}

/// One element: replaced by `desired` if it has the bytes of `expected`. `before`: what was there. Its piece comes in
/// parts, for the compiler keeps them in registers then.
template <class Locks>
[[gnu::always_inline]] inline bool swap_element(Locks locks, std::byte* place, std::size_t offset, std::size_t bytes,
                                                bool by_instruction, const void* expected, const void* desired,
                                                void* before) {
  if (by_instruction) {
    change_atomically(place, bytes, before, [&]<class Word>(const Word* old, Word* made) {
      std::memcpy(made, std::memcmp(old, expected, sizeof *old) == 0 ? desired : old, sizeof *made);
    });
    return true;
  }
  std::array<std::byte, largest_element> old;
  const auto swap = [&] {
    copy_elements(old.data(), place, bytes);
    if (are_equal(old.data(), expected, bytes)) copy_elements(place, desired, bytes);
  };
  bool is_done = true;
  if (bytes > target_control::left_in_stripe(offset)) [[unlikely]] {
    is_done = locks.with_both(offset, bytes, swap);
  } else {
    is_done = locks.with_stripe(offset, swap);
  }
  if (is_done) copy_elements(before, old.data(), bytes);
  return is_done;
}

/// `Locks` of a thread that cannot wait: the one that does what other processes ask for. Whoever unlocks a stripe that
/// it has not got wakes all ranks of the window, and so the polls at which it is tried again.
class tried_stripes {
 public:
  tried_stripes(window_group& of, window_group::target& its) noexcept : of_(of), control_(*its.control) {}

  template <class Act>
  bool with_stripe(std::size_t offset, Act act) {
    stripe& its = control_.stripe_of(offset);
    if (!its.try_lock() && !its.try_lock_or_sleep()) return false;
    act();
    if (its.unlock()) of_.wake_all();
    return true;
  }
  template <class Act>
  bool with_both(std::size_t offset, std::size_t bytes, Act act) {
    element_stripes both = control_.stripes_of(offset, bytes);
    if (!wake_and_tell_if_locked(both.try_lock()) && !wake_and_tell_if_locked(both.try_lock_or_sleep())) return false;
    act();
    if (both.unlock()) of_.wake_all();
    return true;
  }

 private:
  [[nodiscard]] bool wake_and_tell_if_locked(element_stripes::outcome how) noexcept {
    if (how == element_stripes::outcome::vain_and_wake) of_.wake_all();  // this thread tries again anyway
    return how == element_stripes::outcome::locked;
  }

  window_group& of_;
  target_control& control_;
};

}  // namespace pure::core
