// What the serial oracle knows of types and operators: values whose reduction is exact, and how two elements combine.
//
// Nothing here uses the library's operators. Values are such that every grouping of a reduction that keeps the order of
// the ranks has the same result: floating-point sums are of small integers, products of powers of two.
#pragma once

#include <pure.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "support/oracle/dice.hpp"

namespace collective_oracle {

using oracle::mix;

/// An operator: a built-in one by its number in pure_op, or one of the user's.
using operator_code = std::uint64_t;
inline constexpr operator_code user_xor = PURE_MAXLOC + 1;     // commutes
inline constexpr operator_code user_affine = PURE_MAXLOC + 2;  // does not
inline constexpr operator_code last_operator = user_affine;
inline constexpr pure_datatype last_type = PURE_LONG_DOUBLE_INT;

inline bool is_user_operator(operator_code op) { return op > PURE_MAXLOC; }

template <class T>
struct value_and_index {
  using value_type = T;
  T value;
  int index;
};
template <class T>
inline constexpr bool is_pair = false;
template <class T>
inline constexpr bool is_pair<value_and_index<T>> = true;
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

enum class type_class { character, byte, boolean, integer, floating, complex, pair };

/// function(T{}, class of the type)
template <class Function>
auto with_type(pure_datatype type, Function function) {
  using enum type_class;
  switch (type) {
    case PURE_CHAR: return function(char{}, character);
    case PURE_WCHAR: return function(wchar_t{}, character);
    case PURE_BOOL: return function(bool{}, boolean);
    case PURE_SIGNED_CHAR: return function(static_cast<signed char>(0), integer);
    case PURE_UNSIGNED_CHAR: return function(static_cast<unsigned char>(0), integer);
    case PURE_SHORT: return function(short{}, integer);
    case PURE_UNSIGNED_SHORT: return function(static_cast<unsigned short>(0), integer);
    case PURE_INT: return function(int{}, integer);
    case PURE_UNSIGNED: return function(0U, integer);
    case PURE_LONG: return function(0L, integer);
    case PURE_UNSIGNED_LONG: return function(0UL, integer);
    case PURE_LONG_LONG: return function(0LL, integer);
    case PURE_UNSIGNED_LONG_LONG: return function(0ULL, integer);
    case PURE_INT8_T: return function(std::int8_t{}, integer);
    case PURE_INT16_T: return function(std::int16_t{}, integer);
    case PURE_INT32_T: return function(std::int32_t{}, integer);
    case PURE_INT64_T: return function(std::int64_t{}, integer);
    case PURE_UINT8_T: return function(std::uint8_t{}, integer);
    case PURE_UINT16_T: return function(std::uint16_t{}, integer);
    case PURE_UINT32_T: return function(std::uint32_t{}, integer);
    case PURE_UINT64_T: return function(std::uint64_t{}, integer);
    case PURE_SIZE_T: return function(std::size_t{}, integer);
    case PURE_FLOAT: return function(float{}, floating);
    case PURE_DOUBLE: return function(double{}, floating);
    case PURE_LONG_DOUBLE: return function(0.0L, floating);
    case PURE_COMPLEX_FLOAT: return function(std::complex<float>{}, complex);
    case PURE_COMPLEX_DOUBLE: return function(std::complex<double>{}, complex);
    case PURE_FLOAT_INT: return function(value_and_index<float>{}, pair);
    case PURE_DOUBLE_INT: return function(value_and_index<double>{}, pair);
    case PURE_LONG_INT: return function(value_and_index<long>{}, pair);
    case PURE_2INT: return function(value_and_index<int>{}, pair);
    case PURE_SHORT_INT: return function(value_and_index<short>{}, pair);
    case PURE_LONG_DOUBLE_INT: return function(value_and_index<long double>{}, pair);
    default: return function(std::uint8_t{}, byte);
  }
}

inline std::size_t size_of(pure_datatype type) {
  return with_type(type, [](auto element, type_class) { return sizeof element; });
}

/// The table of MPI 4.1, 6.9.2 and 6.9.4.
inline bool is_allowed(operator_code op, pure_datatype type) {
  if (is_user_operator(op)) return true;
  const type_class of = with_type(type, [](auto, type_class c) { return c; });
  const bool logical = op == PURE_LAND || op == PURE_LOR || op == PURE_LXOR;
  const bool bitwise = op == PURE_BAND || op == PURE_BOR || op == PURE_BXOR;
  const bool located = op == PURE_MINLOC || op == PURE_MAXLOC;
  switch (of) {
    case type_class::character: return false;
    case type_class::byte: return bitwise;
    case type_class::boolean: return logical || bitwise;
    case type_class::integer: return !located;
    case type_class::floating: return !logical && !bitwise && !located;
    case type_class::complex: return op == PURE_SUM || op == PURE_PROD;
    case type_class::pair: return located;
  }
  return false;
}

// ---- values ----

template <class T>
T random_number(operator_code op, std::uint64_t hash) {
  if constexpr (std::is_floating_point_v<T>) {
    const int small = static_cast<int>(hash >> 8 & 0xff) - 128;
    switch (op) {
      case PURE_PROD: {
        constexpr T factors[] = {1, -1, 2, -2, T(0.5), T(-0.5), 1, 1};
        return factors[hash % 8];
      }
      case PURE_MIN:
      case PURE_MAX:
        if (hash % 61 == 0) return std::numeric_limits<T>::quiet_NaN();
        if (hash % 7 == 0) return hash & 8 ? T{0} : -T{0};
        return static_cast<T>(small % 5);
      case PURE_MINLOC:
      case PURE_MAXLOC: return hash % 61 == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(small % 5);
      default: return static_cast<T>(small);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    return (hash & 3) != 0;
  } else {
    if (op == PURE_MINLOC || op == PURE_MAXLOC) return static_cast<T>(hash >> 8 & 7);
    if (op >= PURE_LAND && op <= PURE_LXOR && hash % 3 == 0) return 0;
    return static_cast<T>(hash >> 3);
  }
}

template <class T>
T random_element(operator_code op, std::uint64_t hash) {
  if constexpr (is_pair<T>) {
    T element;
    std::memset(static_cast<void*>(&element), 0, sizeof element);
    element.value = random_number<typename T::value_type>(op, hash);
    element.index = static_cast<int>(hash >> 40 & 7);
    return element;
  } else if constexpr (is_complex<T>) {
    using part = typename T::value_type;
    if (op != PURE_PROD) return {random_number<part>(op, hash), random_number<part>(op, hash >> 20)};
    constexpr part parts[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {1, 0}, {0, 1}};
    return {parts[hash % 8][0], parts[hash % 8][1]};
  } else {
    return random_number<T>(op, hash);
  }
}

inline void fill_bytes(std::byte* to, std::size_t bytes, std::uint64_t key) {
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = mix(key + i);
    std::memcpy(to + i, &word, std::min<std::size_t>(8, bytes - i));
  }
}

/// What a rank puts into a reduction: `count` elements that follow from `key`.
inline void fill_operands(std::byte* to, operator_code op, pure_datatype type, std::size_t count, std::uint64_t key) {
  if (is_user_operator(op)) return fill_bytes(to, count * size_of(type), key);
  with_type(type, [&](auto element, type_class) {
    using T = decltype(element);
    for (std::size_t i = 0; i < count; ++i) {
      const T value = random_element<T>(op, mix(key + i));
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  });
}

// ---- operators ----

template <class T>
T combine(operator_code op, T l, T r) {
  if constexpr (is_pair<T>) {
    const bool l_nan = l.value != l.value, r_nan = r.value != r.value;
    if (l_nan != r_nan) return l_nan ? l : r;
    if ((l_nan && r_nan) || l.value == r.value) return r.index < l.index ? r : l;
    return (op == PURE_MINLOC) == (l.value < r.value) ? l : r;
  } else if constexpr (is_complex<T>) {
    if (op == PURE_SUM) return {l.real() + r.real(), l.imag() + r.imag()};
    return {l.real() * r.real() - l.imag() * r.imag(), l.real() * r.imag() + l.imag() * r.real()};
  } else if constexpr (std::is_floating_point_v<T>) {
    if (op == PURE_SUM) return l + r;
    if (op == PURE_PROD) return l * r;
    if (std::isnan(r) || std::isnan(l)) return std::isnan(r) ? r : l;
    return (op == PURE_MIN ? r < l : r > l) ? r : l;
  } else {
    const auto a = static_cast<std::uint64_t>(l), b = static_cast<std::uint64_t>(r);
    switch (op) {
      case PURE_SUM: return static_cast<T>(a + b);
      case PURE_PROD: return static_cast<T>(a * b);
      case PURE_MIN: return std::min(l, r);
      case PURE_MAX: return std::max(l, r);
      case PURE_LAND: return static_cast<T>(a != 0 && b != 0);
      case PURE_LOR: return static_cast<T>(a != 0 || b != 0);
      case PURE_LXOR: return static_cast<T>((a != 0) != (b != 0));
      case PURE_BAND: return static_cast<T>(a & b);
      case PURE_BOR: return static_cast<T>(a | b);
      default: return static_cast<T>(a ^ b);
    }
  }
}

/// The maps x -> a x + b, after one another: half of the word is a, half is b.
template <class Word>
Word compose(Word first, Word then) {
  constexpr int half = 4 * sizeof(Word);
  constexpr auto low = static_cast<Word>((Word{1} << half) - 1);
  const std::uint64_t a1 = first & low, b1 = first >> half, a2 = then & low, b2 = then >> half;
  return static_cast<Word>(((a1 * a2) & low) | ((a2 * b1 + b2) & low) << half);
}

template <class Word, class Function>
void on_words(const void* in, void* inout, std::size_t bytes, Function function) {
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word left, right;
    std::memcpy(&left, static_cast<const std::byte*>(in) + i, sizeof left);
    std::memcpy(&right, static_cast<const std::byte*>(inout) + i, sizeof right);
    right = function(left, right);
    std::memcpy(static_cast<std::byte*>(inout) + i, &right, sizeof right);
  }
}

/// The user operators, as pure_op_create takes them.
inline void xor_function(const void* in, void* inout, std::int64_t count, pure_datatype type) {
  on_words<std::uint8_t>(in, inout, static_cast<std::size_t>(count) * size_of(type),
                         [](std::uint8_t l, std::uint8_t r) { return static_cast<std::uint8_t>(l ^ r); });
}
inline void affine_function(const void* in, void* inout, std::int64_t count, pure_datatype type) {
  const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
  switch (size_of(type)) {
    case 1: return on_words<std::uint8_t>(in, inout, bytes, compose<std::uint8_t>);
    case 2: return on_words<std::uint16_t>(in, inout, bytes, compose<std::uint16_t>);
    case 4: return on_words<std::uint32_t>(in, inout, bytes, compose<std::uint32_t>);
    default: return on_words<std::uint64_t>(in, inout, bytes, compose<std::uint64_t>);
  }
}

/// right[i] = left[i] op right[i]
inline void fold(operator_code op, pure_datatype type, const std::byte* left, std::byte* right, std::size_t count) {
  if (op == user_xor) return xor_function(left, right, static_cast<std::int64_t>(count), type);
  if (op == user_affine) return affine_function(left, right, static_cast<std::int64_t>(count), type);
  with_type(type, [&](auto element, type_class) {
    using T = decltype(element);
    for (std::size_t i = 0; i < count * sizeof(T); i += sizeof(T)) {
      T l, r;
      std::memcpy(static_cast<void*>(&l), left + i, sizeof(T));
      std::memcpy(static_cast<void*>(&r), right + i, sizeof(T));
      const T result = combine<T>(op, l, r);
      std::memcpy(right + i, &result, sizeof(T));
    }
  });
}

template <class T>
bool is_same(const T& a, const T& b) {
  if constexpr (is_pair<T>) {
    return is_same(a.value, b.value) && a.index == b.index;
  } else if constexpr (is_complex<T>) {
    return a == b;  // which zero a product has depends on the grouping
  } else if constexpr (std::is_same_v<T, long double>) {
    return std::memcmp(&a, &b, 10) == 0;  // the rest is padding
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

/// Whether two results of a reduction are the same; padding does not count.
inline bool is_same_result(operator_code op, pure_datatype type, const std::byte* a, const std::byte* b) {
  return with_type(type, [&](auto element, type_class) {
    using T = decltype(element);
    if (is_user_operator(op)) return std::memcmp(a, b, sizeof(T)) == 0;
    T left, right;
    std::memcpy(static_cast<void*>(&left), a, sizeof(T));
    std::memcpy(static_cast<void*>(&right), b, sizeof(T));
    return is_same(left, right);
  });
}

}  // namespace collective_oracle
