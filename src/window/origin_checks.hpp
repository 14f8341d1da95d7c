// PURE_CHECK, windows: what the origin of operations does. What concerns the memory of a rank the process of that rank
// knows (window_checks.hpp); where that is another one, it is asked (remote_checks.hpp).
//
// Own thread of the rank.
#pragma once

#include <cstddef>

#include "base/call.hpp"
#include "layout/placed_message.hpp"
#include "window/place_in_part.hpp"
#include "window/window_checks.hpp"
#include "window/window_end.hpp"

namespace pure::core {

class remote_access;

/// Who asks. `way`: to other processes; null: there are none.
struct checked_origin {
  window_end& end;
  remote_access* way;
  bool is_in_active_epoch;
};

class origin_checks {
 public:
  /// Where calls are checked.
  explicit origin_checks(const checked_origin& who) noexcept
      : end_(who.end),
        way_(who.way),
        is_in_active_epoch_(who.is_in_active_epoch),
        checks_(*who.end.shared().checks()) {}

  /// Before an operation touches the memory. Throws rma_conflict.
  void access_starts(const window_access& wanted, const place_in_part& where, std::size_t element_bytes) const;
  /// When the bytes are written, or on their way; returns when they are written. `what`: of a put.
  void access_ends(const call& by, access_kind kind, const place_in_part& where, const placed_message* what) const;

  /// All operations of this rank on the memory of that one are complete; null: on that of all.
  void completes(const call& by, const int* target) const;
  /// The rank is about to do something by which others may learn what it has done before, in this window or not.
  void lets_know() const noexcept;

  /// When all ranks are in the fence: what was stored to where operations were is the error of the rank whose memory it
  /// is. The next epoch begins, if it `opens` one. Collective. Throws rma_conflict.
  void fence_ends(const call& by, bool opens) const;
  /// The epoch of a post.
  void epoch_begins() const;
  /// Throws rma_conflict.
  void epoch_ends(const call& by) const;

 private:
  [[nodiscard]] bool is_here(int rank) const noexcept { return end_.at(rank).owner != nullptr; }
  [[nodiscard]] bool stands(checked_operation& wanted, const check_verdict& verdict) const;
  void throw_if_wrong(const call& by, const check_verdict& verdict) const;

  window_end& end_;
  remote_access* const way_;
  const bool is_in_active_epoch_;
  window_checks& checks_;
};

}  // namespace pure::core
