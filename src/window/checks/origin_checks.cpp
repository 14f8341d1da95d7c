// PURE_CHECK, windows: the observer of a rank, which is the origin of operations. What concerns the memory of a rank
// the process of that rank knows (window_checks.hpp); where that is another one, it is asked (remote_checks.hpp).
//
// Own thread of the rank.
#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coll/collective.hpp"
#include "layout/layout_cursor.hpp"
#include "match/message_checks.hpp"
#include "window/checks/agreed_call.hpp"
#include "window/checks/remote_checks.hpp"
#include "window/checks/window_checks.hpp"
#include "window/window_end.hpp"

namespace pure::core {

namespace {

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
    "where one of two operations on the same bytes writes, the first one has "
    "to be complete before the second one begins "
    "(MPI 4.1, 12.7)";
constexpr const char* rule_of_stores =
    "bytes that an operation uses may not be stored to in the same epoch (MPI "
    "4.1, 12.7)";

/// The bytes of a put, in a row: its own, or a copy in `copy`.
std::span<const std::byte> in_a_row(const placed_message& what, std::vector<std::byte>& copy) {
  const auto* const base = static_cast<const std::byte*>(what.base);
  if (what.form == nullptr) return {base, what.bytes};
  copy.resize(what.bytes);
  copy_laid_out({copy.data(), nullptr}, 0, {base, what.form.get()}, 0, what.bytes);
  return copy;
}

class origin_checks final : public window_observer {
 public:
  origin_checks(window_checks& checks, window_end& end, remote_access* way) noexcept
      : checks_(checks), end_(end), way_(way) {}

  void access_starts(const call& by, const access_details& how, const place_in_part& where) override;
  void access_ends(const call& by, access_kind kind, const place_in_part& where, const placed_message* what) override;
  std::uint64_t next_read() override { return checks_.next_request(end_.rank()); }
  void read_ends(int rank, std::uint64_t number, const rows_in_part& where) override;

  void completes(const call& by, const int* target) override;
  void lets_know() noexcept override { end_.comm().engine().checks()->orders(); }
  void all_meet(const call& by) override { agree_on_call(checks_, end_, by); }
  void fence_ends(const call& by, bool opens) override;
  void epoch_begins() override { checks_.epoch_begins(end_.shared(), end_.rank()); }
  void epoch_ends(const call& by) override {
    throw_if_wrong(by, checks_.epoch_ends(end_.shared(), end_.rank(), end_.needs_epochs()));
  }

 private:
  [[nodiscard]] bool is_here(int rank) const noexcept { return end_.at(rank).owner != nullptr; }
  [[nodiscard]] bool stands(checked_operation& wanted, const check_verdict& verdict) const;
  void throw_if_wrong(const call& by, const check_verdict& verdict) const;

  window_checks& checks_;
  window_end& end_;
  remote_access* const way_;  // null: all ranks are in this process
};

/// Whether a verdict is right, after what the other processes say; if it is not, `wanted` says why, for another try.
bool origin_checks::stands(checked_operation& wanted, const check_verdict& verdict) const {
  if (wanted.needs_epochs || way_ == nullptr) return true;
  if (verdict.what == check_verdict::kind::store) {
    wanted.may_follow_stores = !checks_.has_nobody_here_ordered(end_.shared()) ||
                               ask_whether_anybody_ordered(*way_, wanted.made.by);
    return !wanted.may_follow_stores;
  }
  const int other = verdict.with.origin;
  wanted.known_rank = other;
  wanted.known_orderings = is_here(other) ? checks_.orderings_of(other) : ask_orderings(*way_, wanted.made.by, other);
  return wanted.known_orderings == verdict.with.orderings;
}

/// Throws rma_conflict.
void origin_checks::access_starts(const call& by, const access_details& how, const place_in_part& where) {
  if (how.kind == access_kind::atomic) lets_know();  // whoever reads what it writes sees what was done before
  checked_operation now{.made = {.kind = how.kind, .origin = end_.rank(), .what = how.what, .by = by},
                        .element_bytes = how.element_bytes,
                        .needs_epochs = end_.needs_epochs(),
                        .is_in_active_epoch = how.is_in_active_epoch};
  now.made.orderings = end_.comm().engine().checks()->orderings().load(std::memory_order_relaxed);
  now.made.request = how.request;
  check_verdict found;
  do {
    found = is_here(where.rank) ? checks_.try_access(end_.shared(), now, where.rank, rows_of(where).rows)
                                : ask_access(*way_, now, where);
    if (found.what == check_verdict::kind::nothing) return;
  } while (!stands(now, found));
  if (found.what == check_verdict::kind::operation) {
    end_.throw_wrong(
        by, errc::rma_conflict,
        fmt::format("this {} uses {} of rank {}'s memory, and so "
                    "does the {}, which is not complete: {}",
                    text_of(how.kind), text_of(found.bytes), where.rank, text_of(found.with), rule_of_operations));
  }
  end_.throw_wrong(by, errc::rma_conflict,
                   fmt::format("{} of rank {}'s memory were stored to since "
                               "the epoch began, by no operation of the "
                               "window, and this {} uses them: {}",
                               text_of(found.bytes), where.rank, text_of(how.kind), rule_of_stores));
}

void origin_checks::access_ends(const call& by, access_kind kind, const place_in_part& where,
                                const placed_message* what) {
  if (kind == access_kind::atomic) return lets_know();
  if (what == nullptr) return;
  std::vector<std::byte> copy;
  if (!is_here(where.rank)) return tell_written(*way_, by, where, in_a_row(*what, copy));
  checks_.note_written(end_.shared(), where.rank, rows_of(where).rows, in_a_row(*what, copy));
}

void origin_checks::read_ends(int rank, std::uint64_t number, const rows_in_part& where) {
  if (!is_here(rank)) return tell_read(*way_, rank, number, where);
  checks_.note_read(end_.rank(), rank, number, where.rows);
}

void origin_checks::completes(const call& by, const int* target) {
  lets_know();
  for (int each = 0; each < end_.size(); ++each) {
    if (is_here(each) && (target == nullptr || *target == each)) checks_.note_completed(end_.rank(), each);
  }
  if (way_ != nullptr) tell_completed(*way_, by, target);
}

void origin_checks::throw_if_wrong(const call& by, const check_verdict& verdict) const {
  if (verdict.what == check_verdict::kind::nothing) return;
  end_.throw_wrong(by, errc::rma_conflict,
                   fmt::format("{} of its memory were stored to, by no operation of the "
                               "window, in the epoch of the {}, "
                               "which uses them: {}",
                               text_of(verdict.bytes), text_of(verdict.with), rule_of_stores));
}

/// What was stored to where operations were is the error of the rank whose memory it is, which throws rma_conflict.
void origin_checks::fence_ends(const call& by, bool opens) {
  const check_verdict wrong = checks_.epoch_ends(end_.shared(), end_.rank(), end_.needs_epochs());
  if (opens) epoch_begins();
  collective_arguments what;
  what.kind = detail::collective::barrier;
  checks_.begins_to_leave_fence(end_.rank());
  run_collective(end_.comm(), by,
                 what);  // nobody leaves before all have looked at their memory
  checks_.has_left_fence(end_.rank());
  throw_if_wrong(by, wrong);
}

}  // namespace

std::unique_ptr<window_observer> window_checks::observer_for(window_end& of, remote_access* way) {
  join(of.rank(), of.comm().engine().checks()->orderings());
  return std::make_unique<origin_checks>(*this, of, way);
}

}  // namespace pure::core
