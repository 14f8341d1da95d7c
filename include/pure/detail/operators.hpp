// From C++ operators and types to the library's reductions. Not for programs.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <typeinfo>

#include <pure/buffer.hpp>
#include <pure/detail/collectives.hpp>
#include <pure/export.hpp>
#include <pure/operators.hpp>

namespace pure::detail {

/// Operators that the library has kernels for.
enum class built_in_op : int { none, sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };

/// Types that it has kernels for. One number stands for all types with the same values.
enum class built_in_type : int {
  none,
  boolean,
  byte,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  single_float,
  double_float,
  long_double,
  complex_float,
  complex_double,
  float_int,  // pairs
  double_int,
  long_double_int,
  int16_int,
  int32_int,
  int64_int
};

/// False if there is no kernel for the two: `found` is then unchanged.
PURE_API bool find_reduction(built_in_op op, built_in_type type, reduction& found) noexcept;

/// Op is Function<>, or Function of just these elements (of others, operands would be converted).
template <class Op, template <class> class Function, class T>
inline constexpr bool is_one_of = std::is_same_v<Op, Function<void>> || std::is_same_v<Op, Function<T>>;

template <class Op, class T>
consteval built_in_op built_in_op_of() {
  if (is_one_of<Op, std::plus, T>) return built_in_op::sum;
  if (is_one_of<Op, std::multiplies, T>) return built_in_op::prod;
  if (is_one_of<Op, std::logical_and, T>) return built_in_op::land;
  if (is_one_of<Op, std::logical_or, T>) return built_in_op::lor;
  if (is_one_of<Op, std::bit_and, T>) return built_in_op::band;
  if (is_one_of<Op, std::bit_or, T>) return built_in_op::bor;
  if (is_one_of<Op, std::bit_xor, T>) return built_in_op::bxor;
  if (std::is_same_v<Op, min>) return built_in_op::min;
  if (std::is_same_v<Op, max>) return built_in_op::max;
  if (std::is_same_v<Op, logical_xor>) return built_in_op::lxor;
  if (std::is_same_v<Op, minloc>) return built_in_op::minloc;
  if (std::is_same_v<Op, maxloc>) return built_in_op::maxloc;
  return built_in_op::none;
}

template <class T>
inline constexpr built_in_type built_in_pair = built_in_type::none;
template <class T>
inline constexpr built_in_type built_in_pair<value_index<T>> = [] {
  if (std::is_same_v<T, float>) return built_in_type::float_int;
  if (std::is_same_v<T, double>) return built_in_type::double_int;
  if (std::is_same_v<T, long double>) return built_in_type::long_double_int;
  if (!std::is_integral_v<T> || !std::is_signed_v<T>) return built_in_type::none;
  if (sizeof(T) == 2) return built_in_type::int16_int;
  if (sizeof(T) == 4) return built_in_type::int32_int;
  if (sizeof(T) == 8) return built_in_type::int64_int;
  return built_in_type::none;
}();

template <class T>
consteval built_in_type built_in_type_of() {
  if (std::is_same_v<T, bool>) return built_in_type::boolean;
  if (std::is_same_v<T, std::byte>) return built_in_type::byte;
  if (std::is_same_v<T, float>) return built_in_type::single_float;
  if (std::is_same_v<T, double>) return built_in_type::double_float;
  if (std::is_same_v<T, long double>) return built_in_type::long_double;
  if (std::is_same_v<T, std::complex<float>>) return built_in_type::complex_float;
  if (std::is_same_v<T, std::complex<double>>) return built_in_type::complex_double;
  if (!std::is_integral_v<T>) return built_in_pair<T>;
  switch (sizeof(T)) {
    case 1: return std::is_signed_v<T> ? built_in_type::int8 : built_in_type::uint8;
    case 2: return std::is_signed_v<T> ? built_in_type::int16 : built_in_type::uint16;
    case 4: return std::is_signed_v<T> ? built_in_type::int32 : built_in_type::uint32;
    case 8: return std::is_signed_v<T> ? built_in_type::int64 : built_in_type::uint64;
    default: return built_in_type::none;
  }
}

/// Any object of the type does the same: nothing need be kept for it.
template <class Op>
inline constexpr bool is_stateless = std::is_empty_v<Op>&& std::is_trivially_default_constructible_v<Op>;

template <class Op>
const void* context_of(const Op& op) noexcept {
  if constexpr (std::is_function_v<Op>) {
    return reinterpret_cast<const void*>(&op);
  } else {
    return is_stateless<Op> ? nullptr : static_cast<const void*>(std::addressof(op));
  }
}

template <class T, class Op>
void combine_each(const Op& op, const void* left, const void* right, void* out, std::size_t count) {
  const auto* const a = static_cast<const T*>(left);
  const auto* const b = static_cast<const T*>(right);
  auto* const to = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(std::invoke(op, a[i], b[i]));
}

template <class T, class Op>
void combine_with(const void* context, const void* left, const void* right, void* out, std::size_t count) {
  if constexpr (is_stateless<Op>) {
    combine_each<T>(Op{}, left, right, out, count);
  } else if constexpr (std::is_function_v<Op>) {
    combine_each<T>(*reinterpret_cast<Op*>(const_cast<void*>(context)), left, right, out, count);
  } else {
    combine_each<T>(*static_cast<const Op*>(context), left, right, out, count);
  }
}

/// The reduction by a user's operator: the types stand for it when ranks compare what they call.
template <class T, class Op>
reduction loop_reduction() {
  constexpr std::uint64_t not_built_in = std::uint64_t{1} << 63;
  using decayed = std::decay_t<Op>;
  return {.combine = combine_with<T, Op>,
          .context = nullptr,
          .element_bytes = sizeof(T),
          .identity = typeid(void (*)(decayed, T)).hash_code() | not_built_in,
          .sum_exactly = nullptr};
}

/// How `op` combines elements of T. Refers to `op`, unless that is stateless.
template <class T, class Op>
reduction reduction_of(const Op& op) {
  static_assert(plain_value<T>, "Pure: elements of a reduction are trivially copyable, and no pointers.");
  static_assert(std::is_invocable_r_v<T, const Op&, const T&, const T&>,
                "Pure: the operator must be callable as op(a, b) with two elements, and yield an element. It is called "
                "as a constant: no `mutable` lambdas.");
  static_assert(alignof(T) <= 64, "Pure: elements of a reduction are aligned to a cache line at most.");
  static const reduction found = [] {  // the search and the hash of names cost more than a small reduction's loop
    reduction by_loop = loop_reduction<T, Op>();
    constexpr built_in_op built_in = built_in_op_of<Op, T>();
    constexpr built_in_type type = built_in_type_of<T>();
    if constexpr (built_in != built_in_op::none && type != built_in_type::none) {
      (void)find_reduction(built_in, type, by_loop);
    }
    return by_loop;
  }();
  reduction result = found;
  result.context = context_of(op);  // built-in operators are stateless: null
  return result;
}

/// What a request keeps of an operator: a copy, or nothing where none is needed.
template <class Op>
std::unique_ptr<Op> kept_copy(const Op& op) {
  if constexpr (is_stateless<Op>) {
    return nullptr;
  } else {
    return std::make_unique<Op>(op);
  }
}

}  // namespace pure::detail
