// An operation on a window's memory, from before it touches the memory until it has (PURE_CHECK): for operations.cpp.
// Without the checks it is one test of a pointer.
#pragma once

#include <cstddef>

#include "window/operations.hpp"
#include "window/window_checks.hpp"

namespace pure::core {

class checked_access {
 public:
  /// Throws rma_conflict.
  checked_access(window& origin, const call& by, const window_place& where, std::byte* base, access_kind kind,
                 std::uint64_t what = 0, bool is_by_instruction = false)
      : checks_(origin.shared().checks()), origin_(origin), where_(where), base_(base) {
    if (checks_ == nullptr) [[likely]]
      return;
    window_access wanted;
    wanted.kind = kind;
    wanted.is_by_instruction = is_by_instruction;
    wanted.origin = origin.rank();
    wanted.what = what;
    wanted.by = by;
    checks_->access_starts(origin, wanted, where, base);
    is_to_end_ = kind != access_kind::get;
    kind_ = kind;
  }
  checked_access(const checked_access&) = delete;
  checked_access& operator=(const checked_access&) = delete;
  ~checked_access() {
    if (is_to_end_) [[unlikely]]
      checks_->access_ends(origin_, where_, base_, kind_);
  }

 private:
  window_checks* const checks_;
  const window& origin_;
  const window_place& where_;
  std::byte* const base_;
  bool is_to_end_ = false;
  access_kind kind_{};
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
