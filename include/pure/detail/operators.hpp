// From C++ operators and types to the library's reductions. Not for programs.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <typeinfo>

#include <pure/datatypes.h>
#include <pure/buffer.hpp>
#include <pure/detail/collectives.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>
#include <pure/operators.hpp>

namespace pure::detail {

/// False if there is no kernel for the two: `found` is then unchanged.
extern "C" PURE_API bool pure_cxx_find_built_in(pure_op op, pure_datatype type, reduction* found) noexcept;

/// Op is Function<>, or Function of just these elements (of others, operands would be converted).
template <class Op, template <class> class Function, class T>
inline constexpr bool is_one_of = std::is_same_v<Op, Function<void>> || std::is_same_v<Op, Function<T>>;

template <class Op, class T>
consteval pure_op built_in_op_of() {
  if (is_one_of<Op, std::plus, T>) return PURE_SUM;
  if (is_one_of<Op, std::multiplies, T>) return PURE_PROD;
  if (is_one_of<Op, std::logical_and, T>) return PURE_LAND;
  if (is_one_of<Op, std::logical_or, T>) return PURE_LOR;
  if (is_one_of<Op, std::bit_and, T>) return PURE_BAND;
  if (is_one_of<Op, std::bit_or, T>) return PURE_BOR;
  if (is_one_of<Op, std::bit_xor, T>) return PURE_BXOR;
  if (std::is_same_v<Op, min>) return PURE_MIN;
  if (std::is_same_v<Op, max>) return PURE_MAX;
  if (std::is_same_v<Op, logical_xor>) return PURE_LXOR;
  if (std::is_same_v<Op, minloc>) return PURE_MINLOC;
  if (std::is_same_v<Op, maxloc>) return PURE_MAXLOC;
  return PURE_OP_NULL;
}

template <class T>
inline constexpr pure_datatype built_in_pair = PURE_DATATYPE_NULL;
template <class T>
inline constexpr pure_datatype built_in_pair<value_index<T>> = [] {
  if (std::is_same_v<T, float>) return PURE_FLOAT_INT;
  if (std::is_same_v<T, double>) return PURE_DOUBLE_INT;
  if (std::is_same_v<T, long double>) return PURE_LONG_DOUBLE_INT;
  if (!std::is_integral_v<T> || !std::is_signed_v<T>) return PURE_DATATYPE_NULL;
  if (sizeof(T) == 2) return PURE_SHORT_INT;
  if (sizeof(T) == 4) return PURE_2INT;
  if (sizeof(T) == 8) return PURE_LONG_INT;
  return PURE_DATATYPE_NULL;
}();

template <class T>
consteval pure_datatype built_in_type_of() {
  if (std::is_same_v<T, bool>) return PURE_BOOL;
  if (std::is_same_v<T, std::byte>) return PURE_BYTE;
  if (std::is_same_v<T, float>) return PURE_FLOAT;
  if (std::is_same_v<T, double>) return PURE_DOUBLE;
  if (std::is_same_v<T, long double>) return PURE_LONG_DOUBLE;
  if (std::is_same_v<T, std::complex<float>>) return PURE_COMPLEX_FLOAT;
  if (std::is_same_v<T, std::complex<double>>) return PURE_COMPLEX_DOUBLE;
  if (!std::is_integral_v<T>) return built_in_pair<T>;
  switch (sizeof(T)) {
    case 1: return std::is_signed_v<T> ? PURE_INT8_T : PURE_UINT8_T;
    case 2: return std::is_signed_v<T> ? PURE_INT16_T : PURE_UINT16_T;
    case 4: return std::is_signed_v<T> ? PURE_INT32_T : PURE_UINT32_T;
    case 8: return std::is_signed_v<T> ? PURE_INT64_T : PURE_UINT64_T;
    default: return PURE_DATATYPE_NULL;
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
  in_program([&]() noexcept(std::is_nothrow_invocable_r_v<T, const Op&, const T&, const T&>) {
    const auto* const a = static_cast<const T*>(left);
    const auto* const b = static_cast<const T*>(right);
    auto* const to = static_cast<T*>(out);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(std::invoke(op, a[i], b[i]));
  });
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
    constexpr pure_op built_in = built_in_op_of<Op, T>();
    constexpr pure_datatype type = built_in_type_of<T>();
    if constexpr (built_in != PURE_OP_NULL && type != PURE_DATATYPE_NULL) {
      (void)pure_cxx_find_built_in(built_in, type, &by_loop);
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
