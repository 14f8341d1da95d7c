#include "window/window_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "coll/collective.hpp"
#include "layout/layout_cursor.hpp"
#include "match/message_checks.hpp"
#include "window/operations.hpp"
#include "window/window.hpp"

namespace pure::core {

namespace {

/// Each piece of a place that lies in a row; use(bytes, where it is).
template <class Use>
void for_each_piece(const window::target& of, const window_place& where, std::byte* base, Use use) {
  layout_cursor<std::byte> there({base, where.form}, 0);
  for (std::size_t done = 0; done < where.bytes;) {
    std::byte* const at = there.at();
    const std::size_t piece = std::min(where.bytes - done, there.left_in_block());
    // Of dynamic windows it is the address.
    const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(at) -
                                                  reinterpret_cast<std::uintptr_t>(of.base));
    use(access_map::range{begin, begin + piece}, at);
    there.pass(piece);
    done += piece;
  }
}

std::string text_of(access_map::range bytes) {
  return bytes.end - bytes.begin == 1 ? fmt::format("byte {}", bytes.begin)
                                      : fmt::format("bytes {} to {}", bytes.begin, bytes.end - 1);
}

const char* text_of(access_kind kind) noexcept {
  switch (kind) {
    case access_kind::get: return "get";
    case access_kind::put: return "put";
    case access_kind::atomic: return "atomic operation";
  }
  return "";
}

std::string text_of(const window_access& made) {
  return fmt::format("{} by rank {}, {}", text_of(made.kind), made.origin, to_text(made.by.operation, made.by.site));
}

constexpr const char* rule_of_operations =
    "where one of two operations on the same bytes writes, the first one has to be complete before the second one begins "
    "(MPI 4.1, 12.7)";
constexpr const char* rule_of_stores =
    "bytes that an operation uses may not be stored to in the same epoch (MPI 4.1, 12.7)";

/// Whether two atomic operations may change one element at a time. Here all exclude each other, but for instructions
/// and locks in windows of hardware atomics; a program may have promised to ask for less.
bool exclude_each_other(const window_options& of, const window_access& a, const window_access& b) noexcept {
  if (a.is_by_instruction != b.is_by_instruction) return false;
  if (of.promise == same_operations::any || a.what == b.what) return true;
  return of.promise == same_operations::same_or_no_op && (a.what == number_of_no_op || b.what == number_of_no_op);
}

bool has_atomic(const access_map::segment& of) noexcept {
  return std::any_of(of.by.begin(), of.by.end(),
                     [](const window_access& each) { return each.kind == access_kind::atomic; });
}

/// The first bytes that are not the same.
std::optional<access_map::range> difference(const std::byte* a, const std::byte* b, access_map::range bytes) noexcept {
  const auto length = static_cast<std::ptrdiff_t>(bytes.end - bytes.begin);
  if (std::memcmp(a, b, static_cast<std::size_t>(length)) == 0) return std::nullopt;
  const auto first = std::mismatch(a, a + length, b);
  auto last = first;
  while (last.first != a + length && *last.first != *last.second) ++last.first, ++last.second;
  const auto begin = bytes.begin + static_cast<std::uint64_t>(first.first - a);
  return access_map::range{begin, begin + static_cast<std::uint64_t>(last.first - first.first)};
}

}  // namespace

std::uint64_t window_checks::orderings_of(int rank) const noexcept {
  return ranks_[static_cast<std::size_t>(rank)].orderings->load(std::memory_order_relaxed);
}

bool window_checks::is_over(const window& of, const part& in, const window_access& made) const noexcept {
  if (in.completions[static_cast<std::size_t>(made.origin)] != made.completions) return true;
  return !of.needs_epochs() && orderings_of(made.origin) != made.orderings;
}

bool window_checks::has_nobody_ordered() const noexcept {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const rank& each) {
    return each.orderings->load(std::memory_order_relaxed) == each.at_epoch.load(std::memory_order_relaxed);
  });
}

/// Whether what has been stored to that memory since its epoch began conflicts with an operation now.
bool window_checks::stores_count(const window& origin, const part& in) const noexcept {
  return in.is_compared && (origin.needs_epochs() ? origin.is_in_active_epoch() : has_nobody_ordered());
}

void window_checks::require_no_store(window& origin, part& in, const window_access& wanted, int target,
                                     access_map::range bytes, const std::byte* memory) const {
  // Atomic operations of others may be at it.
  const auto atomic = in.touched.find(bytes,
                                      [](const window_access& each) { return each.kind == access_kind::atomic; });
  if (atomic || bytes.end > in.copy.size()) return;
  const std::byte* const expected = in.copy.data() + bytes.begin;
  const std::optional<access_map::range> stored = difference(expected, memory, bytes);
  if (!stored) return;
  origin.throw_wrong(wanted.by, errc::rma_conflict,
                     fmt::format("{} of rank {}'s memory were stored to since the epoch began, by no operation of the "
                                 "window, and this {} uses them: {}",
                                 text_of(*stored), target, text_of(wanted.kind), rule_of_stores));
}

void window_checks::access_starts(window& origin, const window_access& wanted, const window_place& where,
                                  std::byte* base) {
  const window::target& target = origin.at(where.rank);
  part& in = part_of(where.rank);
  message_checks& own = *origin.comm().engine().checks();
  if (wanted.kind == access_kind::atomic) own.orders();  // whoever reads what it writes sees what was done before
  const std::lock_guard lock(in.guard);
  if (in.completions.empty()) in.completions.resize(parts_.size());
  window_access made = wanted;
  made.completions = in.completions[static_cast<std::size_t>(made.origin)];
  made.orderings = own.orderings().load(std::memory_order_relaxed);
  const auto is_conflict = [&](const window_access& other) {
    if (other.kind == access_kind::get && made.kind == access_kind::get) return false;
    if (is_over(origin, in, other)) return false;
    const bool are_ordered = other.origin == made.origin && !origin.needs_epochs();
    if (other.kind == access_kind::atomic && made.kind == access_kind::atomic)
      return other.origin != made.origin && !exclude_each_other(origin.shared().options(), made, other);
    return !are_ordered;
  };
  const bool compares = stores_count(origin, in);
  for_each_piece(target, where, base, [&](access_map::range bytes, const std::byte* memory) {
    if (const auto found = in.touched.find(bytes, is_conflict)) {
      origin.throw_wrong(
          made.by, errc::rma_conflict,
          fmt::format("this {} uses {} of rank {}'s memory, and so does the {}, which is not complete: {}",
                      text_of(made.kind), text_of(found->bytes), where.rank, text_of(found->with), rule_of_operations));
    }
    if (compares) require_no_store(origin, in, made, where.rank, bytes, memory);
  });
  for_each_piece(target, where, base, [&](access_map::range bytes, const std::byte*) { in.touched.add(bytes, made); });
  if (in.touched.has_grown()) {
    in.touched.purge([&](const window_access& each) {
      if (!is_over(origin, in, each)) return false;
      if (each.kind == access_kind::atomic)
        in.is_compared = false;  // nothing else tells that the copy is not right there
      return true;
    });
  }
}

void window_checks::access_ends(const window& origin, const window_place& where, std::byte* base, access_kind kind) {
  part& in = part_of(where.rank);
  if (kind == access_kind::atomic) return origin.comm().engine().checks()->orders();
  const std::lock_guard lock(in.guard);
  if (!in.is_compared) return;
  for_each_piece(origin.at(where.rank), where, base, [&](access_map::range bytes, const std::byte* memory) {
    if (bytes.end <= in.copy.size()) std::memcpy(in.copy.data() + bytes.begin, memory, bytes.end - bytes.begin);
  });
}

void window_checks::completes(const window& origin, const int* target) {
  origin.comm().engine().checks()->orders();
  for (int each = 0; each < static_cast<int>(parts_.size()); ++each) {
    if (target != nullptr && *target != each) continue;
    part& in = part_of(each);
    const std::lock_guard lock(in.guard);
    if (!in.completions.empty()) ++in.completions[static_cast<std::size_t>(origin.rank())];
  }
}

void window_checks::lets_know(const window& by) noexcept { by.comm().engine().checks()->orders(); }

void window_checks::fence_begins(const window& own) noexcept {
  ranks_[static_cast<std::size_t>(own.rank())].at_fence.store(orderings_of(own.rank()), std::memory_order_relaxed);
}

std::optional<std::string> window_checks::epoch_ends(const window& own) {
  part& in = part_of(own.rank());
  const std::lock_guard lock(in.guard);
  const bool is_compared = in.is_compared;
  in.is_compared = false;
  const auto counts = [&](const window_access& made) {
    const auto origin = static_cast<std::size_t>(made.origin);
    if (in.completions[origin] != made.completions) return false;
    return own.needs_epochs() || made.orderings == ranks_[origin].at_fence.load(std::memory_order_relaxed);
  };
  std::optional<std::string> wrong;
  for (const auto& [begin, segment] : in.touched.all()) {
    if (!is_compared || wrong) break;
    if (segment.end > in.copy.size() || has_atomic(segment)) continue;
    const auto made = std::find_if(segment.by.begin(), segment.by.end(), counts);
    if (made == segment.by.end()) continue;
    const auto stored = difference(in.copy.data() + begin, own.own().base + begin, {begin, segment.end});
    if (stored) {
      wrong = fmt::format(
          "{} of its memory were stored to, by no operation of the window, in the epoch of the {}, which "
          "uses them: {}",
          text_of(*stored), text_of(*made), rule_of_stores);
    }
  }
  in.touched.clear();
  return wrong;
}

void window_checks::epoch_begins(const window& own) {
  part& in = part_of(own.rank());
  const window::target& its = own.own();
  const std::lock_guard lock(in.guard);
  in.is_compared = own.shared().flavor() != window_flavor::dynamic && its.bytes > 0 && its.bytes <= most_compared_bytes;
  if (in.is_compared) in.copy.assign(its.base, its.base + its.bytes);
}

void window_checks::fence_ends(const window& own, const call& by, bool opens, bool waits) {
  if (!waits) {
    const std::lock_guard lock(part_of(own.rank()).guard);
    part_of(own.rank()).is_compared = false;
    return;
  }
  const std::optional<std::string> wrong = epoch_ends(own);
  if (opens) epoch_begins(own);
  collective_arguments what;
  what.kind = detail::collective::barrier;
  run_collective(own.comm(), by, what);  // nobody leaves before all have looked at their memory
  ranks_[static_cast<std::size_t>(own.rank())].at_epoch.store(orderings_of(own.rank()), std::memory_order_relaxed);
  if (wrong) own.throw_wrong(by, errc::rma_conflict, *wrong);
}

}  // namespace pure::core
