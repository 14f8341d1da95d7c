#include "window/checks/window_checks.hpp"

#include <algorithm>
#include <cstring>

#include "window/element_operations.hpp"
#include "window/window_group.hpp"

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

/// The operation changes nothing.
bool only_reads(const window_access& made) noexcept {
  return made.kind == access_kind::get || (made.kind == access_kind::atomic && made.what == number_of_no_op);
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

void window_checks::note_written(window_group& shared, int rank, std::span<const block_row> rows,
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

void window_checks::note_read(int origin, int rank, std::uint64_t request, std::span<const block_row> rows) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  for_each_range(rows, [&](access_map::range bytes) { in.touched.remove_read(bytes, origin, request); });
}

void window_checks::note_completed(int origin, int rank) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  if (!in.completions.empty()) ++in.completions[static_cast<std::size_t>(origin)];
}

// ---- epochs
// --------------------------------------------------------------------------------------------------------

check_verdict window_checks::epoch_ends(window_group& shared, int rank, bool needs_epochs) {
  part& in = part_of(rank);
  const std::lock_guard lock(in.guard);
  const auto counts = [&](const window_access& made) {
    const auto origin = static_cast<std::size_t>(made.origin);
    if (in.completions[origin] != made.completions) return false;
    return needs_epochs || made.orderings == ranks_[origin].at_call.load(std::memory_order_relaxed);
  };
  check_verdict wrong;
  for (const auto& [begin, segment] : in.touched.all()) {
    if (!in.compared.is_on() || wrong.what != check_verdict::kind::nothing) break;
    if (has_atomic(segment)) continue;
    const auto made = std::find_if(segment.by.begin(), segment.by.end(), counts);
    if (made == segment.by.end()) continue;
    if (const auto stored = in.compared.changed({begin, segment.end}, shared.at(rank).base))
      wrong = {check_verdict::kind::store, *made, *stored};
  }
  in.compared.end();
  in.touched.clear();
  return wrong;
}

void window_checks::epoch_begins(window_group& shared, int rank) {
  part& in = part_of(rank);
  const window_group::target& its = shared.at(rank);
  const std::lock_guard lock(in.guard);
  if (shared.flavor() != window_flavor::dynamic) in.compared.begin(its.base, its.bytes);
}

}  // namespace pure::core
