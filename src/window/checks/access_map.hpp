// Which operations touch which bytes of one rank's part of a window, and have not been completed (PURE_CHECK).
//
// The bytes are cut in segments, each of which has been touched as a whole: so what is kept is bounded by the number of
// different places, not of operations. Whoever uses it keeps others out (window_checks.cpp does).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/call.hpp"
#include "window/window_observer.hpp"

namespace pure::core {

/// One operation, as others have to know it.
struct window_access {
  access_kind kind = access_kind::get;
  bool is_by_instruction = false;  // of an atomic one: not under a stripe's lock
  int origin = 0;                  // its rank in the window
  std::uint64_t what = 0;          // of an atomic one: which operator, as a number
  call by{nullptr, {}};
  // When it was done, to tell whether it may have ended: how often its origin had completed all operations on that
  // part, and how often it had let others know of what it had done before.
  std::uint64_t completions = 0;
  std::uint64_t orderings = 0;
  std::uint64_t request = 0;  // of its origin in the window: that completes it, a read, by itself; 0: none
};

class access_map {
 public:
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct conflict {
    window_access with;
    range bytes;  // which both touch
  };
  struct segment {
    std::uint64_t end;
    std::vector<window_access> by;
  };
  using segments = std::map<std::uint64_t, segment>;  // by where they begin; they do not overlap

  /// The first one in these bytes for which is_conflict(with) is true.
  template <class IsConflict>
  [[nodiscard]] std::optional<conflict> find(range bytes, IsConflict is_conflict) const {
    for (auto each = first_behind(bytes.begin); each != segments_.end() && each->first < bytes.end; ++each) {
      for (const window_access& with : each->second.by) {
        if (is_conflict(with)) {
          return conflict{with, {std::max(each->first, bytes.begin), std::min(each->second.end, bytes.end)}};
        }
      }
    }
    return std::nullopt;
  }

  void add(range bytes, const window_access& made);

  /// Forgets those that is_over(access, bytes of the segment) says are.
  template <class IsOver>
  void purge(IsOver is_over) {
    for (auto each = segments_.begin(); each != segments_.end();) {
      const range bytes{each->first, each->second.end};
      std::erase_if(each->second.by, [&](const window_access& made) { return is_over(made, bytes); });
      each = each->second.by.empty() ? segments_.erase(each) : std::next(each);
    }
    purged_size_ = segments_.size();
  }
  /// Forgets what that request of the origin has read in these bytes.
  void remove_read(range bytes, int origin, std::uint64_t request);
  /// The map has grown much since: a purge is worth its time.
  [[nodiscard]] bool has_grown() const noexcept { return segments_.size() > 2 * purged_size_ + 64; }

  [[nodiscard]] const segments& all() const noexcept { return segments_; }
  void clear() noexcept {
    segments_.clear();
    purged_size_ = 0;
  }

 private:
  /// The first segment that ends behind that byte.
  [[nodiscard]] segments::const_iterator first_behind(std::uint64_t byte) const;
  /// No segment goes across that byte any more.
  void cut(std::uint64_t byte);

  segments segments_;
  std::size_t purged_size_ = 0;
};

}  // namespace pure::core
