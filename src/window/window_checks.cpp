#include "window/window_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "coll/collective.hpp"
#include "match/message_checks.hpp"
#include "window/element_operations.hpp"
#include "window/remote_checks.hpp"
#include "window/window.hpp"

namespace pure::core {

namespace {

/// Each block of the rows: use(bytes of the part).
template <class Use>
void for_each_range(std::span<const block_row> rows, Use use) {
  visit_blocks(rows, [&](std::ptrdiff_t offset, std::size_t bytes) {
    const auto begin = static_cast<std::uint64_t>(offset);
    use(access_map::range{begin, begin + bytes});
  });
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

/// It changes nothing.
bool only_reads(const window_access& made) noexcept {
  return made.kind == access_kind::get || (made.kind == access_kind::atomic && made.what == number_of_no_op);
}

/// The bytes of a put, in a row: its own, or a copy in `copy`.
std::span<const std::byte> in_a_row(const detail::placed_message& what, std::vector<std::byte>& copy) {
  const auto* const base = static_cast<const std::byte*>(what.base);
  if (what.form == nullptr) return {base, what.bytes};
  copy.resize(what.bytes);
  copy_laid_out({copy.data(), nullptr}, 0, {base, what.form.get()}, 0, what.bytes);
  return copy;
}

}  // namespace

std::uint64_t window_checks::orderings_of(int rank) const noexcept {
  // acquire: the counter; pairs with the release in join()
  const std::atomic<std::uint64_t>* const here = of(rank).orderings.load(std::memory_order_acquire);
  return here != nullptr ? here->load(std::memory_order_relaxed) : of(rank).known.load(std::memory_order_relaxed);
}

void window_checks::learn(int rank, std::uint64_t orderings) noexcept {
  std::atomic<std::uint64_t>& known = of(rank).known;
  std::uint64_t now = known.load(std::memory_order_relaxed);
  while (now < orderings && !known.compare_exchange_weak(now, orderings, std::memory_order_relaxed)) {
  }
}

bool window_checks::is_over(bool needs_epochs, const part& in, const window_access& made) const noexcept {
  if (in.completions[static_cast<std::size_t>(made.origin)] != made.completions) return true;
  return !needs_epochs && orderings_of(made.origin) != made.orderings;
}

bool window_checks::has_nobody_here_ordered(window_group& shared) const noexcept {
  for (int each = 0; each < shared.size(); ++each) {
    if (shared.at(each).owner == nullptr) continue;
    const std::uint64_t began = of(each).at_epoch.load(std::memory_order_relaxed);
    if (began != leaves_fence && orderings_of(each) != began) return false;
  }
  return true;
}

// ---- where the memory is -------------------------------------------------------------------------------------------

check_verdict window_checks::look(window_group& shared, const part& in, const checked_operation& wanted, int rank,
                                  std::span<const block_row> rows) const {
  const window_access& made = wanted.made;
  const auto is_conflict = [&](const window_access& other) {
    if (only_reads(other) && only_reads(made)) return false;
    if (is_over(wanted.needs_epochs, in, other)) return false;
    const bool are_ordered = other.origin == made.origin && !wanted.needs_epochs;
    if (other.kind == access_kind::atomic && made.kind == access_kind::atomic)
      return other.origin != made.origin && !exclude_each_other(shared.options(), made, other);
    return !are_ordered;
  };
  // Whether what has been stored to that memory since its epoch began conflicts with an operation now.
  const bool compares = in.compared.is_on() &&
                        (wanted.needs_epochs ? wanted.is_in_active_epoch
                                             : !wanted.may_follow_stores && has_nobody_here_ordered(shared));
  check_verdict found;
  for_each_range(rows, [&](access_map::range bytes) {
    if (found.what != check_verdict::kind::nothing) return;
    if (const auto other = in.touched.find(bytes, is_conflict)) {
      found = {check_verdict::kind::operation, other->with, other->bytes};
    } else if (compares) {
      // Atomic operations of others may be at it.
      if (in.touched.find(bytes, [](const window_access& each) { return each.kind == access_kind::atomic; })) return;
      if (const auto stored = in.compared.changed(bytes, shared.at(rank).base))
        found = {check_verdict::kind::store, made, *stored};
    }
  });
  return found;
}

check_verdict window_checks::try_access(window_group& shared, const checked_operation& wanted, int rank,
                                        std::span<const block_row> rows) {
  if (wanted.known_rank >= 0) learn(wanted.known_rank, wanted.known_orderings);
  learn(wanted.made.origin, wanted.made.orderings);
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  if (in.completions.empty()) in.completions.resize(parts_.size());
  checked_operation now = wanted;
  now.made.completions = in.completions[static_cast<std::size_t>(now.made.origin)];
  now.made.is_by_instruction = now.made.kind == access_kind::atomic &&
                               uses_instructions(shared, shared.at(rank).place_at(rows.front().offset),
                                                 now.element_bytes);
  if (const check_verdict found = look(shared, in, now, rank, rows); found.what != check_verdict::kind::nothing)
    return found;
  for_each_range(rows, [&](access_map::range bytes) {
    in.touched.add(bytes, now.made);
    if (!in.compared.is_on()) return;
    if (now.made.kind == access_kind::atomic) return in.compared.touch(bytes);  // others may be at it
    in.compared.know(bytes, shared.at(rank).base + bytes.begin);
  });
  if (in.touched.has_grown()) {
    in.touched.purge([&](const window_access& each, access_map::range bytes) {
      if (!is_over(now.needs_epochs, in, each)) return false;
      if (each.kind == access_kind::atomic) in.compared.forget(bytes);  // nothing else tells that it has been changed
      return true;
    });
  }
  return {};
}

void window_checks::is_written(window_group& shared, int rank, std::span<const block_row> rows,
                               std::span<const std::byte> data) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  if (!in.compared.is_on()) return;
  std::size_t done = 0;
  for_each_range(rows, [&](access_map::range bytes) {
    in.compared.know(bytes, data.empty() ? shared.at(rank).base + bytes.begin : data.data() + done);
    done += bytes.end - bytes.begin;
  });
}

void window_checks::is_read(int origin, int rank, std::uint64_t request, std::span<const block_row> rows) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  for_each_range(rows, [&](access_map::range bytes) { in.touched.remove_read(bytes, origin, request); });
}

void window_checks::is_completed(int origin, int rank) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  if (!in.completions.empty()) ++in.completions[static_cast<std::size_t>(origin)];
}

// ---- the origin ----------------------------------------------------------------------------------------------------

/// Whether a verdict is right, after what the other processes say; if it is not, `wanted` says why, for another try.
bool window_checks::stands(window& origin, checked_operation& wanted, const check_verdict& verdict) {
  if (wanted.needs_epochs || origin.shared().spanning() == nullptr) return true;
  if (verdict.what == check_verdict::kind::store) {
    wanted.may_follow_stores = !has_nobody_here_ordered(origin.shared()) ||
                               has_anybody_elsewhere_ordered(origin, wanted.made.by);
    return !wanted.may_follow_stores;
  }
  const int other = verdict.with.origin;
  wanted.known_rank = other;
  wanted.known_orderings = origin.at(other).owner != nullptr ? orderings_of(other)
                                                             : ask_orderings(origin, wanted.made.by, other);
  return wanted.known_orderings == verdict.with.orderings;
}

void window_checks::access_starts(window& origin, const window_access& wanted, const place_in_part& where,
                                  std::size_t element_bytes) {
  message_checks& own = *origin.comm().engine().checks();
  if (wanted.kind == access_kind::atomic) own.orders();  // whoever reads what it writes sees what was done before
  checked_operation now{.made = wanted, .element_bytes = element_bytes, .needs_epochs = origin.needs_epochs()};
  now.is_in_active_epoch = origin.is_in_active_epoch();
  now.made.orderings = own.orderings().load(std::memory_order_relaxed);
  check_verdict found;
  do {
    found = origin.at(where.rank).owner != nullptr ? try_access(origin.shared(), now, where.rank, rows_of(where).rows)
                                                   : ask_access(origin, now, where);
    if (found.what == check_verdict::kind::nothing) return;
  } while (!stands(origin, now, found));
  if (found.what == check_verdict::kind::operation) {
    origin.throw_wrong(
        wanted.by, errc::rma_conflict,
        fmt::format("this {} uses {} of rank {}'s memory, and so does the {}, which is not complete: {}",
                    text_of(wanted.kind), text_of(found.bytes), where.rank, text_of(found.with), rule_of_operations));
  }
  origin.throw_wrong(wanted.by, errc::rma_conflict,
                     fmt::format("{} of rank {}'s memory were stored to since the epoch began, by no operation of the "
                                 "window, and this {} uses them: {}",
                                 text_of(found.bytes), where.rank, text_of(wanted.kind), rule_of_stores));
}

void window_checks::access_ends(window& origin, const call& by, access_kind kind, const place_in_part& where,
                                const detail::placed_message* what) {
  if (kind == access_kind::atomic) return origin.comm().engine().checks()->orders();
  if (what == nullptr) return;
  std::vector<std::byte> copy;
  if (origin.at(where.rank).owner == nullptr) return tell_written(origin, by, where, in_a_row(*what, copy));
  is_written(origin.shared(), where.rank, rows_of(where).rows, in_a_row(*what, copy));
}

void window_checks::completes(window& origin, const call& by, const int* target) {
  origin.comm().engine().checks()->orders();
  for (int each = 0; each < origin.size(); ++each) {
    if (origin.at(each).owner != nullptr && (target == nullptr || *target == each)) is_completed(origin.rank(), each);
  }
  if (origin.shared().spanning() != nullptr) tell_completed(origin, by, target);
}

void window_checks::lets_know(const window& by) noexcept { by.comm().engine().checks()->orders(); }

std::optional<std::string> window_checks::epoch_ends(const window& own) {
  part& in = part_of(own.rank());
  const std::lock_guard lock(in.guard);
  const auto counts = [&](const window_access& made) {
    const auto origin = static_cast<std::size_t>(made.origin);
    if (in.completions[origin] != made.completions) return false;
    return own.needs_epochs() || made.orderings == ranks_[origin].at_call.load(std::memory_order_relaxed);
  };
  std::optional<std::string> wrong;
  for (const auto& [begin, segment] : in.touched.all()) {
    if (!in.compared.is_on() || wrong) break;
    if (has_atomic(segment)) continue;
    const auto made = std::find_if(segment.by.begin(), segment.by.end(), counts);
    if (made == segment.by.end()) continue;
    if (const auto stored = in.compared.changed({begin, segment.end}, own.own().base)) {
      wrong = fmt::format(
          "{} of its memory were stored to, by no operation of the window, in the epoch of the {}, which "
          "uses them: {}",
          text_of(*stored), text_of(*made), rule_of_stores);
    }
  }
  in.compared.end();
  in.touched.clear();
  return wrong;
}

void window_checks::epoch_begins(const window& own) {
  part& in = part_of(own.rank());
  const window::target& its = own.own();
  const std::lock_guard lock(in.guard);
  if (own.shared().flavor() != window_flavor::dynamic) in.compared.begin(its.base, its.bytes);
}

void window_checks::fence_ends(const window& own, const call& by, bool opens) {
  const std::optional<std::string> wrong = epoch_ends(own);
  if (opens) epoch_begins(own);
  collective_arguments what;
  what.kind = detail::collective::barrier;
  of(own.rank()).at_epoch.store(leaves_fence, std::memory_order_relaxed);
  run_collective(own.comm(), by, what);  // nobody leaves before all have looked at their memory
  of(own.rank()).at_epoch.store(orderings_of(own.rank()), std::memory_order_relaxed);
  if (wrong) own.throw_wrong(by, errc::rma_conflict, *wrong);
}

}  // namespace pure::core
