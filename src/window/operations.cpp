// Modelled by tests/model/stripe.pml.
#include "window/operations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "layout/layout_cursor.hpp"
#include "window/element_atomics.hpp"

namespace pure::core {

namespace {

constexpr std::size_t largest_element = 64;
/// Room for the elements that begin in one stripe.
constexpr std::size_t stripe_room_bytes = target_control::stripe_bytes + largest_element;

struct alignas(largest_element) stripe_room {
  std::byte bytes[stripe_room_bytes];
};

/// The bytes that a message touches, from its base.
struct extent_of {
  std::ptrdiff_t lower = 0;
  std::ptrdiff_t upper = 0;

  explicit extent_of(const window_place& where) noexcept {
    if (where.form == nullptr) {
      upper = static_cast<std::ptrdiff_t>(where.bytes);
    } else if (where.bytes > 0) {
      const auto times = static_cast<std::ptrdiff_t>(where.bytes / where.form->bytes());
      const std::ptrdiff_t last = where.form->extent() * (times - 1);
      lower = std::min<std::ptrdiff_t>(last, 0) + where.form->true_lower_bound();
      upper = std::max<std::ptrdiff_t>(last, 0) + where.form->true_upper_bound();
    }
  }
};

[[noreturn, gnu::cold]] void throw_range(const window& of, const call& by, const window_place& where) {
  if (of.shared().flavor() == window_flavor::dynamic) {
    of.throw_wrong(by, errc::rma_range,
                   fmt::format("{} at address {:#x} are not all in memory that rank {} has attached",
                               counted(where.bytes, "byte"), where.offset, where.rank));
  }
  const window::target& its = of.at(where.rank);
  of.throw_wrong(by, errc::rma_range,
                 fmt::format("{} at displacement {} (of {}) are not all in the part of rank {}, which has {}",
                             counted(where.bytes, "byte"), where.offset, counted(its.unit, "byte"), where.rank,
                             counted(its.bytes, "byte")));
}

void require_same_bytes(const window& of, const call& by, std::size_t here, std::size_t there) {
  if (here != there) [[unlikely]] {
    of.throw_wrong(by, errc::count,
                   fmt::format("{} here, but {} there", counted(here, "byte"), counted(there, "byte")));
  }
}

/// Bytes of a message as they lie in a row; the message's own ones, or a copy in `copy`.
const std::byte* in_a_row(const placed_message& what, std::size_t first, std::size_t bytes, std::size_t alignment,
                          stripe_room& copy) {
  const auto* const base = static_cast<const std::byte*>(what.base);
  if (what.form == nullptr && reinterpret_cast<std::uintptr_t>(base + first) % alignment == 0) return base + first;
  copy_laid_out({copy.bytes, nullptr}, 0, {base, what.form.get()}, first, bytes);
  return copy.bytes;
}

/// One atomic operation on the elements that begin in one stripe, or on one of them.
struct elements {
  const combination& how;
  std::size_t alignment;

  /// There, by the holder of the lock: `count` elements at `at`, which have `from` from the origin.
  void combine(std::byte* at, const std::byte* from, std::size_t bytes) const {
    switch (how.what) {
      case combination::kind::none: return;
      case combination::kind::replace: std::memcpy(at, from, bytes); return;
      case combination::kind::combine: break;
    }
    const std::size_t count = bytes / how.element_bytes;
    if (reinterpret_cast<std::uintptr_t>(at) % alignment == 0) {
      how.how.combine(how.how.context, at, from, at, count);
      return;
    }
    stripe_room aligned;
    std::memcpy(aligned.bytes, at, bytes);
    how.how.combine(how.how.context, aligned.bytes, from, aligned.bytes, count);
    std::memcpy(at, aligned.bytes, bytes);
  }
};

/// The greatest alignment that a type of so many bytes may ask for.
constexpr std::size_t alignment_for(std::size_t element_bytes) noexcept {
  return std::min<std::size_t>(element_bytes & -element_bytes, alignof(std::max_align_t));
}

template <class Act>
void with_stripe(window& of, const call& by, int rank, std::size_t offset, Act act) {
  stripe& its = of.at(rank).control->stripe_of(offset);
  if (!its.try_lock()) [[unlikely]]
    of.wait_for(by, its, rank);
  act();
  if (its.unlock()) [[unlikely]]
    of.shared().wake_all();
}

bool uses_instructions(const window& of, const void* at, std::size_t element_bytes) noexcept {
  return of.shared().options().atomics == atomics_by::hardware && has_atomic_instructions(at, element_bytes);
}

}  // namespace

std::byte* address_of(window& of, const call& by, const window_place& where) {
  window::target& its = of.at(where.rank);
  const extent_of touched(where);
  if (of.shared().flavor() == window_flavor::dynamic) {
    auto* const base = reinterpret_cast<std::byte*>(where.offset);
    const auto bytes = static_cast<std::size_t>(touched.upper - touched.lower);
    if (bytes > 0 && !its.attached.contains(base + touched.lower, bytes)) throw_range(of, by, where);
    return base;
  }
  std::ptrdiff_t offset = 0, upper = 0;
  if (__builtin_mul_overflow(where.offset, static_cast<std::ptrdiff_t>(its.unit), &offset) ||
      __builtin_add_overflow(offset, touched.upper, &upper) || offset < -touched.lower || offset < 0 ||
      static_cast<std::size_t>(upper) > its.bytes) [[unlikely]]
    throw_range(of, by, where);
  return its.base + offset;
}

void put(window& to, const call& by, const placed_message& what, const window_place& where) {
  if (!to.may_access(by, where.rank)) return;
  require_same_bytes(to, by, what.bytes, where.bytes);
  std::byte* const at = address_of(to, by, where);
  if (what.bytes == 0) return;
  if (what.form == nullptr && where.form == nullptr) {
    std::memmove(at, what.base, what.bytes);
  } else {
    copy_laid_out({at, where.form}, {static_cast<const std::byte*>(what.base), what.form.get()}, 0, what.bytes);
  }
}

void get(window& from, const call& by, const placed_message& into, const window_place& where) {
  if (!from.may_access(by, where.rank)) return;
  require_same_bytes(from, by, into.bytes, where.bytes);
  const std::byte* const at = address_of(from, by, where);
  if (into.bytes == 0) return;
  if (into.form == nullptr && where.form == nullptr) {
    std::memmove(into.base, at, into.bytes);
  } else {
    copy_laid_out({static_cast<std::byte*>(into.base), into.form.get()}, {at, where.form}, 0, into.bytes);
  }
}

void accumulate(window& at, const call& by, const placed_message& what, const placed_message* before,
                const window_place& where, const combination& how) {
  if (!at.may_access(by, where.rank)) return;
  if (how.element_bytes > largest_element) {
    at.throw_wrong(by, errc::type,
                   fmt::format("atomic operations are on elements of at most {}, not {}",
                               counted(largest_element, "byte"), how.element_bytes));
  }
  const bool takes_origin = how.what != combination::kind::none;
  if (takes_origin) require_same_bytes(at, by, what.bytes, where.bytes);
  if (before != nullptr) require_same_bytes(at, by, before->bytes, where.bytes);
  std::byte* const base = address_of(at, by, where);
  const std::size_t element = how.element_bytes;
  const elements each{how, alignment_for(element)};
  stripe_room of_origin, of_result;
  layout_cursor<std::byte> there({base, where.form}, 0);
  for (std::size_t done = 0; done < where.bytes;) {
    std::byte* const place = there.at();
    // Elements belong to the stripe in which they begin. Addresses stand for offsets in dynamic windows.
    const auto offset = static_cast<std::size_t>(place - at.at(where.rank).base);
    const std::size_t in_stripe = (target_control::left_in_stripe(offset) + element - 1) / element * element;
    std::size_t piece = std::min({where.bytes - done, there.left_in_block(), in_stripe});
    const bool by_instruction = uses_instructions(at, place, element);
    if (by_instruction) piece = element;
    const std::byte* const from = takes_origin ? in_a_row(what, done, piece, each.alignment, of_origin) : nullptr;
    if (by_instruction) {
      change_atomically(place, element, of_result.bytes, [&](const void* old, void* made) {
        std::memcpy(made, old, element);
        each.combine(static_cast<std::byte*>(made), from, element);
      });
    } else {
      with_stripe(at, by, where.rank, offset, [&] {
        if (before != nullptr) std::memcpy(of_result.bytes, place, piece);
        each.combine(place, from, piece);
      });
    }
    if (before != nullptr) {
      copy_laid_out({static_cast<std::byte*>(before->base), before->form.get()}, done, {of_result.bytes, nullptr}, 0,
                    piece);
    }
    there.pass(piece);
    done += piece;
  }
}

void compare_and_swap(window& at, const call& by, const void* expected, const void* desired, void* before,
                      std::size_t bytes, int rank, std::int64_t offset) {
  if (!at.may_access(by, rank)) return;
  std::byte* const place = address_of(at, by, {rank, offset, bytes, nullptr});
  const auto swap = [&](void* old, void* made) {
    std::memcpy(made, std::memcmp(old, expected, bytes) == 0 ? desired : old, bytes);
  };
  if (uses_instructions(at, place, bytes)) {
    change_atomically(place, bytes, before, swap);
    return;
  }
  with_stripe(at, by, rank, static_cast<std::size_t>(place - at.at(rank).base), [&] {
    std::array<std::byte, largest_element> old, made;
    std::memcpy(old.data(), place, bytes);
    swap(old.data(), made.data());
    std::memcpy(place, made.data(), bytes);
    std::memcpy(before, old.data(), bytes);
  });
}

}  // namespace pure::core
