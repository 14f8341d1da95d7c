// pure::group: an ordered set of ranks of the job (C++20; MPI 4.1, 7.3).
//
// A value, like a vector: copy it, keep it, compare it. It is local: nothing here communicates or blocks, and any
// thread may call what does not ask for the caller's rank. comm::group() gives one; comm::create makes a comm of one.
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pure/call_site.hpp>
#include <pure/detail/communicators.hpp>

namespace pure {

template <class T>
class window;

/// What comparing finds (MPI 4.1, 7.3.2 and 7.4.1).
enum class comparison : int {
  ident,      ///< the same communicator; for groups: the same ranks in the same order
  congruent,  ///< another communicator with the same ranks in the same order
  similar,    ///< the same ranks in another order
  unequal
};

class group {
 public:
  using here = call_site;

  /// Of no ranks.
  group() = default;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(numbers_.size()); }
  [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }

  /// The caller's rank in the group, if it is in it. Error: state, outside a rank.
  [[nodiscard]] std::optional<int> rank(here at = here::current()) const {
    return unless_undefined(detail::group_rank(at, numbers_));
  }

  /// The rank in `other` of what has `rank` here, if it is there. Errors: rank.
  [[nodiscard]] std::optional<int> translate(int rank, const group& other, here at = here::current()) const {
    return unless_undefined(detail::group_translate(at, numbers_, rank, other.numbers_));
  }

  [[nodiscard]] comparison compare(const group& other) const {
    return static_cast<comparison>(detail::group_compare(numbers_, other.numbers_));
  }
  /// The same ranks in the same order.
  friend bool operator==(const group& a, const group& b) = default;

  /// The listed ranks in the order of the list. Errors: rank, for one out of range or listed twice.
  [[nodiscard]] group incl(std::span<const int> ranks, here at = here::current()) const {
    return group(detail::group_incl(at, numbers_, ranks.data(), ranks.size()));
  }
  [[nodiscard]] group incl(std::initializer_list<int> ranks, here at = here::current()) const {
    return group(detail::group_incl(at, numbers_, ranks.begin(), ranks.size()));
  }

  /// The ranks that are not listed, in this group's order. Errors: the same.
  [[nodiscard]] group excl(std::span<const int> ranks, here at = here::current()) const {
    return group(detail::group_excl(at, numbers_, ranks.data(), ranks.size()));
  }
  [[nodiscard]] group excl(std::initializer_list<int> ranks, here at = here::current()) const {
    return group(detail::group_excl(at, numbers_, ranks.begin(), ranks.size()));
  }

  /// Union: all of a in a's order, then what only b has, in b's.
  friend group operator|(const group& a, const group& b) { return group(detail::group_union(a.numbers_, b.numbers_)); }
  /// Intersection: what both have, in a's order.
  friend group operator&(const group& a, const group& b) {
    return group(detail::group_intersection(a.numbers_, b.numbers_));
  }
  /// Difference: what only a has, in a's order.
  friend group operator-(const group& a, const group& b) {
    return group(detail::group_difference(a.numbers_, b.numbers_));
  }

 private:
  friend class comm;
  template <class T>
  friend class window;
  explicit group(detail::numbers of_job) noexcept : numbers_(std::move(of_job)) {}
  static std::optional<int> unless_undefined(int rank) {
    return rank == detail::undefined ? std::nullopt : std::optional<int>(rank);
  }

  detail::numbers numbers_;  // in the job, by rank
};

}  // namespace pure
