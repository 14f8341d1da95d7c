// Modelled by tests/model/stripe.pml.
#include "window/operations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "layout/layout_cursor.hpp"
#include "window/element_operations.hpp"
#include "window/observed_access.hpp"

namespace pure::core {

namespace {

/// The bytes that a message touches, from its base.
struct extent_of {
  std::ptrdiff_t lower = 0;
  std::ptrdiff_t upper = 0;

  [[gnu::always_inline]] explicit extent_of(const window_place& where) noexcept {
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
  if (const std::string why = of.at(where.rank).why_gone(where.rank); !why.empty())
    of.throw_wrong(by, errc::rma_range, why);
  if (of.shared().flavor() == window_flavor::dynamic) {
    of.throw_wrong(by, errc::rma_range,
                   fmt::format("{} at address {:#x} are not all in memory that rank {} has attached",
                               counted(where.bytes, "byte"), where.offset, where.rank));
  }
  const window::target& its = of.at(where.rank);
  of.throw_wrong(by, errc::rma_range,
                 fmt::format("{} at displacement {} (of {}) are not all in the part of rank {}, which has {}",
                             counted(where.bytes, "byte"), where.offset, counted(its.unit, "byte"), where.rank,
                             counted(std::size_t{its.bytes}, "byte")));
}

[[noreturn, gnu::cold]] void throw_other_bytes(const window& of, const call& by, std::size_t here, std::size_t there) {
  of.throw_wrong(by, errc::count, fmt::format("{} here, but {} there", counted(here, "byte"), counted(there, "byte")));
}

inline void require_same_bytes(const window& of, const call& by, std::size_t here, std::size_t there) {
  if (here != there) [[unlikely]]
    throw_other_bytes(of, by, here, there);
}

/// From the beginning of the part.
[[gnu::always_inline]] inline std::ptrdiff_t offset_in_part(const window& of, const call& by,
                                                            const window_place& where) {
  const window::target& its = of.at(where.rank);
  const extent_of touched(where);
  std::ptrdiff_t offset = 0, upper = 0;
  if (__builtin_mul_overflow(where.offset, static_cast<std::ptrdiff_t>(its.unit), &offset) ||
      __builtin_add_overflow(offset, touched.upper, &upper) || offset < -touched.lower || offset < 0 ||
      static_cast<std::size_t>(upper) > its.bytes) [[unlikely]]
    throw_range(of, by, where);
  return offset;
}

/// Of memory that is reached by messages.
[[gnu::noinline]] place_in_part remote_place_of(window& of, const call& by, const window_place& where) {
  const bool is_dynamic = of.shared().flavor() == window_flavor::dynamic;  // its owner's process knows what is attached
  const place_in_part found{where.rank, is_dynamic ? where.offset : offset_in_part(of, by, where), where.bytes,
                            where.form};
  of.note_access();
  return found;
}

/// The way of an operation to that rank, by messages.
remote_access& messages_to(window& of, int rank) noexcept {
  of.posted().note_message(rank);
  return *of.remote();
}

/// Of a dynamic window: what lies between the blocks need not be attached.
[[gnu::noinline]] bool are_attached(const attached_memory& its, const window_place& where) {
  const extent_of touched(where);
  auto* const base = reinterpret_cast<const std::byte*>(where.offset);
  if (its.contains(base + touched.lower, static_cast<std::size_t>(touched.upper - touched.lower))) return true;
  if (where.form == nullptr) return false;
  bool are_all = true;
  visit_blocks(rows_of({where.rank, where.offset, where.bytes, where.form}).rows,
               [&](std::ptrdiff_t address, std::size_t bytes) {
                 are_all = are_all && its.contains(reinterpret_cast<const std::byte*>(address), bytes);
               });
  return are_all;
}

/// Of memory that is addressable.
[[gnu::always_inline]] inline std::byte* place_of(window& of, const call& by, const window_place& where) {
  window::target& its = of.at(where.rank);
  std::byte* found = reinterpret_cast<std::byte*>(where.offset);
  if (of.shared().flavor() != window_flavor::dynamic) [[likely]] {
    found = its.base + offset_in_part(of, by, where);
  } else if (!are_attached(its.attached, where)) {
    throw_range(of, by, where);
  }
  of.note_access();
  return found;
}

/// Bytes of a message as they lie in a row; the message's own ones, or a copy in `copy`.
const std::byte* in_a_row(const placed_message& what, std::size_t first, std::size_t bytes, std::size_t alignment,
                          stripe_room& copy) {
  const auto* const base = static_cast<const std::byte*>(what.base);
  if (what.form == nullptr && reinterpret_cast<std::uintptr_t>(base + first) % alignment == 0) return base + first;
  copy_laid_out({copy.bytes, nullptr}, 0, {base, what.form.get()}, first, bytes);
  return copy.bytes;
}

/// The two may overlap.
inline void move_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else {
    std::memmove(to, from, bytes);
  }
}
/// `Locks` (element_operations.hpp) of a rank, which waits for a stripe that somebody holds.
class awaited_stripes {
 public:
  awaited_stripes(window& of, const call& by, int rank) noexcept : of_(of), by_(by), rank_(rank) {}

  template <class Act>
  [[gnu::always_inline]] bool with_stripe(std::size_t offset, Act act) {
    stripe& its = of_.at(rank_).control->stripe_of(offset);
    if (!its.try_lock()) [[unlikely]]
      of_.wait_for(by_, its, rank_);
    act();
    if (its.unlock()) [[unlikely]]
      of_.shared().wake_all();
    return true;
  }
  /// For an element that may go across the end of a stripe.
  template <class Act>
  [[gnu::always_inline]] bool with_both(std::size_t offset, std::size_t bytes, Act act) {
    take_both(of_, by_, rank_, offset, bytes, act);
    return true;
  }

 private:
  /// Static, so that what calls it keeps the members in registers.
  template <class Act>
  [[gnu::noinline]] static void take_both(window& of, const call& by, int rank, std::size_t offset, std::size_t bytes,
                                          Act act) {
    element_stripes both = of.at(rank).control->stripes_of(offset, bytes);
    of.wait_for(by, both, rank);
    act();
    if (both.unlock()) of.shared().wake_all();
  }

  window& of_;
  const call& by_;
  const int rank_;
};

std::size_t offset_of(const window& at, int rank, const std::byte* place) noexcept {
  return static_cast<std::size_t>(place - at.at(rank).base);
}

/// Any number of elements, however they are laid out on either side.
[[gnu::noinline]] void accumulate_pieces(window& at, const call& by, const placed_message* what,
                                         const placed_message* before, const window_place& where, const elements& each,
                                         std::byte* base) {
  const std::size_t element = each.how.element_bytes;
  const awaited_stripes locks(at, by, where.rank);
  stripe_room of_origin, of_result;
  layout_cursor<std::byte> there({base, where.form}, 0);
  for (std::size_t done = 0; done < where.bytes;) {
    const element_piece now = first_piece(at.shared(), at.at(where.rank), there.at(),
                                          std::min(where.bytes - done, there.left_in_block()), element);
    const std::byte* const from = what == nullptr ? nullptr
                                                  : in_a_row(*what, done, now.bytes, each.alignment, of_origin);
    accumulate_piece(locks, each, now, from, before == nullptr ? nullptr : of_result.bytes);
    if (before != nullptr) {
      copy_laid_out({static_cast<std::byte*>(before->base), before->form.get()}, done, {of_result.bytes, nullptr}, 0,
                    now.bytes);
    }
    there.pass(now.bytes);
    done += now.bytes;
  }
}

/// The atomic operation that is usual: on elements in a row on both sides, aligned, in one stripe of memory that this
/// process maps, with nobody who observes it. False: it is another one, or there is something wrong with it; then
/// nothing has been done.
[[gnu::always_inline]] inline bool accumulate_at_once(window& at, const call& by, const placed_message& what,
                                                      const placed_message* before, const window_place& where,
                                                      const combination& how) {
  const window_group& of = at.shared();
  if (how.what == combination::kind::none || of.observer() != nullptr || of.flavor() == window_flavor::dynamic ||
      of.options().atomics != atomics_by::any_type)
    return false;
  const window::target& its = at.at(where.rank);
  const std::size_t bytes = where.bytes, there = its.bytes;
  std::ptrdiff_t offset = 0;
  if (__builtin_mul_overflow(where.offset, static_cast<std::ptrdiff_t>(its.unit), &offset) || its.control == nullptr)
    return false;
  const auto first = static_cast<std::size_t>(offset);  // too large, if it is negative
  if (bytes - 1 >= target_control::left_in_stripe(first) || bytes > there || first > there - bytes) return false;
  std::byte* const place = its.base + first;
  const elements each{how, alignment_for(how.element_bytes)};
  if (what.form != nullptr || where.form != nullptr || what.bytes != bytes || !each.is_aligned(what.base) ||
      !each.is_aligned(place) || how.element_bytes > largest_element)
    return false;
  if (before != nullptr && (before->form != nullptr || before->bytes != bytes || before->base == what.base))
    return false;
  awaited_stripes(at, by, where.rank).with_stripe(first, [&] {
    if (before != nullptr) copy_elements(before->base, place, bytes);
    each.combine(place, static_cast<const std::byte*>(what.base), bytes);
  });
  at.note_access();
  return true;
}

[[noreturn, gnu::cold]] void throw_large_element(const window& at, const call& by, std::size_t bytes) {
  at.throw_wrong(
      by, errc::type,
      fmt::format("atomic operations are on elements of at most {}, not {}", counted(largest_element, "byte"), bytes));
}

}  // namespace

std::byte* address_of(window& of, const call& by, const window_place& where) {
  if (!of.is_addressable(where.rank)) {
    of.throw_wrong(
        by, errc::rma_shared,
        fmt::format("the memory of rank {} is on another machine, or no memory that processes share", where.rank));
  }
  return place_of(of, by, where);
}

void put(window& to, const call& by, const placed_message& what, const window_place& where) {
  if (!to.may_access(by, where.rank)) return;
  require_same_bytes(to, by, what.bytes, where.bytes);
  if (where.bytes == 0) return;
  if (!to.is_addressable(where.rank)) [[unlikely]] {
    const place_in_part there = remote_place_of(to, by, where);
    const observed_access observed(to, by, where, access_kind::put);
    if (!to.posted().put(what, there)) messages_to(to, where.rank).put(by, what, there);
    return observed.end(what);
  }
  std::byte* const at = place_of(to, by, where);
  const observed_access observed(to, by, where, access_kind::put);
  if (what.form == nullptr && where.form == nullptr) {
    move_bytes(at, what.base, what.bytes);
  } else {
    copy_laid_out({at, where.form}, {static_cast<const std::byte*>(what.base), what.form.get()}, 0, what.bytes);
  }
  observed.end(what);
}

void get(window& from, const call& by, const placed_message& into, const window_place& where, std::uint64_t request) {
  if (!from.may_access(by, where.rank)) return;
  require_same_bytes(from, by, into.bytes, where.bytes);
  if (where.bytes == 0) return;
  if (!from.is_addressable(where.rank)) [[unlikely]] {
    const place_in_part there = remote_place_of(from, by, where);
    const observed_access observed(from, by, where, access_kind::get, 0, 0, request);
    return messages_to(from, where.rank).get(by, into, there, from.waits_for_results());
  }
  std::byte* const at = place_of(from, by, where);
  const observed_access observed(from, by, where, access_kind::get, 0, 0, request);
  if (into.form == nullptr && where.form == nullptr) {
    move_bytes(into.base, at, into.bytes);
  } else {
    copy_laid_out({static_cast<std::byte*>(into.base), into.form.get()}, {at, where.form}, 0, into.bytes);
  }
}

void accumulate(window& at, const call& by, const placed_message& what, const placed_message* before,
                const window_place& where, const combination& how, std::uint64_t request) {
  if (!at.may_access(by, where.rank)) return;
  if (accumulate_at_once(at, by, what, before, where, how)) [[likely]]
    return;
  const std::size_t element = how.element_bytes;
  if (element > largest_element) [[unlikely]]
    throw_large_element(at, by, element);
  const bool takes_origin = how.what != combination::kind::none;
  if (!takes_origin) at.look_around_now_and_then();
  if (takes_origin) require_same_bytes(at, by, what.bytes, where.bytes);
  if (before != nullptr) require_same_bytes(at, by, before->bytes, where.bytes);
  if (where.bytes == 0) return;
  if (!at.is_addressable(where.rank)) [[unlikely]] {
    const place_in_part there = remote_place_of(at, by, where);
    const observed_access observed(at, by, where, access_kind::atomic, number_of(how), element, request);
    messages_to(at, where.rank).accumulate(by, what, before, there, how, at.waits_for_results());
    return observed.end();
  }
  std::byte* const base = place_of(at, by, where);
  const observed_access observed(at, by, where, access_kind::atomic, number_of(how), element, request);
  const elements each{how, alignment_for(element)};
  const element_piece all{base, offset_of(at, where.rank, base), where.bytes,
                          uses_instructions(at.shared(), base, element)};
  const bool is_one_piece = all.by_instruction ? all.bytes == element
                                               : all.bytes <= target_control::left_in_stripe(all.offset);
  const bool is_here_in_a_row = (!takes_origin || (what.form == nullptr && each.is_aligned(what.base))) &&
                                (before == nullptr || (before->form == nullptr && before->base != what.base));
  if (is_one_piece && is_here_in_a_row && where.form == nullptr) {
    accumulate_inside(awaited_stripes(at, by, where.rank), each, all,
                      static_cast<const std::byte*>(takes_origin ? what.base : nullptr),
                      static_cast<std::byte*>(before == nullptr ? nullptr : before->base));
  } else {
    accumulate_pieces(at, by, takes_origin ? &what : nullptr, before, where, each, base);
  }
  observed.end();
}

void compare_and_swap(window& at, const call& by, const void* expected, const void* desired, void* before,
                      std::size_t bytes, int rank, std::int64_t offset) {
  if (!at.may_access(by, rank)) return;
  at.look_around_now_and_then();
  const window_place where{rank, offset, bytes, nullptr};
  if (!at.is_addressable(rank)) [[unlikely]] {
    const place_in_part there = remote_place_of(at, by, where);
    const observed_access observed(at, by, where, access_kind::atomic, number_of_swaps, bytes);
    messages_to(at, rank).compare_and_swap(by, expected, desired, before, there, at.waits_for_results());
    return observed.end();
  }
  std::byte* const place = place_of(at, by, where);
  const bool by_instruction = uses_instructions(at.shared(), place, bytes);
  const observed_access observed(at, by, where, access_kind::atomic, number_of_swaps, bytes);
  swap_element(awaited_stripes(at, by, rank), place, offset_of(at, rank, place), bytes, by_instruction, expected,
               desired, before);
  observed.end();
}

}  // namespace pure::core
