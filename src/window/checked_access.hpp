// An operation on a window's memory, before it touches the memory and when it has (PURE_CHECK): for operations.cpp.
// Without the checks it is tests of a pointer.
#pragma once

#include <cstddef>

#include "window/combination.hpp"
#include "window/window.hpp"
#include "window/window_place.hpp"

namespace pure::core {

class checked_access {
 public:
  struct details {
    // Of an atomic operation: which operator, as a number, and the bytes of an element.
    std::uint64_t what = 0;
    std::size_t element_bytes = 0;
    std::uint64_t request = 0;  // window_access::request
  };

  /// `where` is in the part. Throws rma_conflict. All that it is given outlives it.
  checked_access(window& origin, const call& by, const window_place& where, access_kind kind, details how)
      : checks_(where.bytes > 0 ? origin.shared().checks() : nullptr),
        origin_(origin),
        by_(by),
        where_(where),
        kind_(kind) {
    if (checks_ != nullptr) [[unlikely]]
      start(how);
  }
  checked_access(window& origin, const call& by, const window_place& where, access_kind kind)
      : checked_access(origin, by, where, kind, details{}) {}
  checked_access(const checked_access&) = delete;
  checked_access& operator=(const checked_access&) = delete;
  ~checked_access() = default;

  /// An atomic operation is done.
  void end() const {
    if (checks_ != nullptr) [[unlikely]]
      finish(nullptr);
  }
  /// A put is done, or on its way to where the memory is; returns when it is done.
  void end(const placed_message& what) const {
    if (checks_ != nullptr) [[unlikely]]
      finish(&what);
  }

 private:
  [[gnu::noinline, gnu::cold]] void start(details how) const {
    window_access made;
    made.kind = kind_;
    made.origin = origin_.rank();
    made.what = how.what;
    made.by = by_;
    made.request = how.request;
    origin_checks(origin_.as_checked()).access_starts(made, place_in_part_of(origin_, where_), how.element_bytes);
  }
  [[gnu::noinline, gnu::cold]] void finish(const placed_message* what) const {
    origin_checks(origin_.as_checked()).access_ends(by_, kind_, place_in_part_of(origin_, where_), what);
  }

  window_checks* const checks_;
  window& origin_;
  const call& by_;
  const window_place& where_;
  const access_kind kind_;
};

/// A number for how an atomic operation combines, by which others are told from it.
inline std::uint64_t number_of(const combination& how) noexcept {
  switch (how.what) {
    case combination::kind::replace: return 1;
    case combination::kind::none: return number_of_no_op;
    case combination::kind::combine: break;
  }
  return how.how.identity != 0 ? how.how.identity : reinterpret_cast<std::uintptr_t>(how.how.combine);
}
constexpr std::uint64_t number_of_swaps = 3;

}  // namespace pure::core
