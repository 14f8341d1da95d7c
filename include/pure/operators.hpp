// Operators of reductions that the standard library has no function object for, and the pairs of minloc and maxloc.
//
// A reduction takes any function object: std::plus, std::multiplies, std::logical_and, std::bit_or, these, or a lambda.
// On arithmetic types, std::complex and (value, index) pairs, these and those of <functional> are the operators of
// pure.h with their kernels; so integer sums and products wrap, and what is said there of NaNs holds.
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <concepts>
#include <type_traits>

namespace pure {

/// A value and where it is: the rank, or a place in an array. With the int index, the pairs of pure.h.
template <class T, class Index = int>
struct value_index {
  T value;
  Index index;
  friend bool operator==(const value_index&, const value_index&) = default;
};
template <class T, class Index>
value_index(T, Index) -> value_index<T, Index>;

namespace detail {

template <class T>
concept ordered = requires(const T& a) {
  { a < a } -> std::convertible_to<bool>;
};
template <class T>
concept located = requires(const T& a) {
  requires ordered<std::remove_cvref_t<decltype(a.value)>>;
  requires ordered<std::remove_cvref_t<decltype(a.index)>>;
};

template <class T>
constexpr bool is_nan(const T& x) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return x != x;
  } else {
    return false;
  }
}

}  // namespace detail

/// The lesser one; of equal ones the left. A NaN beats every number; of two NaNs, the right one is taken.
struct min {
  template <detail::ordered T>
  constexpr T operator()(const T& left, const T& right) const {
    return detail::is_nan(right) || right < left ? right : left;
  }
};

/// The greater one; of equal ones the left. NaNs: as min.
struct max {
  template <detail::ordered T>
  constexpr T operator()(const T& left, const T& right) const {
    return detail::is_nan(right) || left < right ? right : left;
  }
};

/// True if exactly one operand is.
struct logical_xor {
  template <class T>
  requires std::constructible_from<bool, const T&>
  constexpr bool operator()(const T& left, const T& right) const {
    return static_cast<bool>(left) != static_cast<bool>(right);
  }
};

namespace detail {

/// The pair whose value comes first; NaNs come before all numbers; of equal values the pair with the least index.
template <class T, class Before>
constexpr T first_pair(const T& left, const T& right, Before before) {
  const auto comes_before = [&](const T& a, const T& b) {
    return is_nan(a.value) ? !is_nan(b.value) : before(a.value, b.value);
  };
  if (comes_before(left, right)) return left;
  if (comes_before(right, left)) return right;
  return right.index < left.index ? right : left;
}

}  // namespace detail

/// Of pure::value_index, or of anything with a `value` and an `index`: the least value, among equals the least index.
struct minloc {
  template <detail::located T>
  constexpr T operator()(const T& left, const T& right) const {
    return detail::first_pair(left, right, [](const auto& a, const auto& b) { return a < b; });
  }
};

/// The same with the greatest value, among equals the least index.
struct maxloc {
  template <detail::located T>
  constexpr T operator()(const T& left, const T& right) const {
    return detail::first_pair(left, right, [](const auto& a, const auto& b) { return b < a; });
  }
};

}  // namespace pure
