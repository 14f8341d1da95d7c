// An operation on a window's memory, as the window's observer is told of it: before it touches the memory, and when it
// has. For operations.cpp; without an observer it is tests of a pointer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "window/combination.hpp"
#include "window/window.hpp"
#include "window/window_place.hpp"

namespace pure::core {

class observed_access {
 public:
  /// `where` is in the part. Throws what the observer finds. All references outlive it; numbers: access_details.
  observed_access(window& origin, const call& by, const window_place& where, access_kind kind, std::uint64_t what = 0,
                  std::size_t element_bytes = 0, std::uint64_t request = 0)
      : observer_(where.bytes > 0 ? origin.observer() : nullptr), origin_(origin), by_(by), where_(where), kind_(kind) {
    if (observer_ != nullptr) [[unlikely]]
      start(what, element_bytes, request);
  }
  observed_access(const observed_access&) = delete;
  observed_access& operator=(const observed_access&) = delete;
  ~observed_access() = default;

  /// An atomic operation is done.
  void end() const {
    if (observer_ != nullptr) [[unlikely]]
      finish(nullptr);
  }
  /// A put is done, or on its way to where the memory is; returns when it is done.
  void end(const placed_message& what) const {
    if (observer_ != nullptr) [[unlikely]]
      finish(&what);
  }

 private:
  [[gnu::noinline, gnu::cold]] void start(std::uint64_t what, std::size_t element_bytes, std::uint64_t request) const {
    observer_->access_starts(by_, {kind_, what, element_bytes, request, origin_.is_in_active_epoch()},
                             place_in_part_of(origin_, where_));
  }
  [[gnu::noinline, gnu::cold]] void finish(const placed_message* what) const {
    observer_->access_ends(by_, kind_, place_in_part_of(origin_, where_), what);
  }

  window_observer* const observer_;
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
