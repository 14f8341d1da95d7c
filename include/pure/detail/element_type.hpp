// The type of a message's elements, as PURE_CHECK compares it between the ends. Not for programs.
//
// A code of 12 bits: a pure_datatype, or for a class, above those, a hash of its name. It travels beside the call site,
// in the same register: a constant of the call, which costs nothing where nobody checks.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include <pure/datatypes.h>
#include <pure/buffer.hpp>
#include <pure/call_site.hpp>
#include <pure/detail/hash.hpp>
#include <pure/layout.hpp>
#include <pure/operators.hpp>

namespace pure::detail {

template <class T>
consteval unsigned code_of_class() {
  constexpr unsigned first = 64, codes = (1U << 12) - first;
  const std::uint64_t hash = hash_of(__PRETTY_FUNCTION__, hash_of_nothing ^ sizeof(T));
  return first + static_cast<unsigned>((hash >> 20) % codes);
}

/// One number for each type with values of its own; 0 never.
template <class T>
consteval unsigned code_of_value() {
  if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
    return code_of_value<std::underlying_type_t<T>>();
  } else {
    if (std::is_same_v<T, std::byte>) return PURE_BYTE;
    if (std::is_same_v<T, char>) return PURE_CHAR;
    if (std::is_same_v<T, wchar_t>) return PURE_WCHAR;
    if (std::is_same_v<T, bool>) return PURE_BOOL;
    if (std::is_same_v<T, int>) return PURE_INT;  // by their own names, for the reports
    if (std::is_same_v<T, unsigned>) return PURE_UNSIGNED;
    if (std::is_same_v<T, long>) return PURE_LONG;
    if (std::is_same_v<T, unsigned long>) return PURE_UNSIGNED_LONG;
    if (std::is_same_v<T, long long>) return PURE_LONG_LONG;
    if (std::is_same_v<T, unsigned long long>) return PURE_UNSIGNED_LONG_LONG;
    if (std::is_same_v<T, short>) return PURE_SHORT;
    if (std::is_same_v<T, unsigned short>) return PURE_UNSIGNED_SHORT;
    if (std::is_same_v<T, signed char>) return PURE_SIGNED_CHAR;
    if (std::is_same_v<T, unsigned char>) return PURE_UNSIGNED_CHAR;
    if (std::is_same_v<T, float>) return PURE_FLOAT;
    if (std::is_same_v<T, double>) return PURE_DOUBLE;
    if (std::is_same_v<T, long double>) return PURE_LONG_DOUBLE;
    if (std::is_same_v<T, std::complex<float>>) return PURE_COMPLEX_FLOAT;
    if (std::is_same_v<T, std::complex<double>>) return PURE_COMPLEX_DOUBLE;
    if (std::is_same_v<T, value_index<float>>) return PURE_FLOAT_INT;
    if (std::is_same_v<T, value_index<double>>) return PURE_DOUBLE_INT;
    if (std::is_same_v<T, value_index<long>>) return PURE_LONG_INT;
    if (std::is_same_v<T, value_index<int>>) return PURE_2INT;
    if (std::is_same_v<T, value_index<short>>) return PURE_SHORT_INT;
    if (std::is_same_v<T, value_index<long double>>) return PURE_LONG_DOUBLE_INT;
    return code_of_class<T>();
  }
}

/// Of a value, or of the elements of a range; arrays of arrays are ranges of their innermost elements.
template <class Data>
consteval unsigned code_of_elements() {
  using data = std::remove_cvref_t<Data>;
  if constexpr (is_laid_out<data>) {
    return code_of_elements<std::remove_pointer_t<decltype(data::data)>>();
  } else if constexpr (plain_range<const data>) {
    return code_of_elements<std::ranges::range_value_t<const data>>();
  } else {
    return code_of_value<data>();
  }
}

/// The call site of a call that sends such data, receives it, or both.
template <class Sent>
constexpr pure_call_site sending(pure_call_site at) noexcept {
  at.types = code_of_elements<Sent>();
  return at;
}
template <class Received>
constexpr pure_call_site receiving(pure_call_site at) noexcept {
  at.types = code_of_elements<Received>() << 16;
  return at;
}
template <class Sent, class Received>
constexpr pure_call_site exchanging(pure_call_site at) noexcept {
  at.types = code_of_elements<Sent>() | (code_of_elements<Received>() << 16);
  return at;
}

}  // namespace pure::detail
