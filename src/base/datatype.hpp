// What pure_datatype names: sizes, and the pairs of PURE_MINLOC and PURE_MAXLOC.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

#include <pure/datatypes.h>

namespace pure::core {

/// The layout of PURE_FLOAT_INT (Value = float) and its kin.
template <class Value>
struct value_index {
  Value value;
  int index;
};

/// In bytes, by type; 0: not a type.
inline constexpr auto type_sizes = [] {
  std::array<unsigned char, PURE_LONG_DOUBLE_INT + 1> s{};
  s[PURE_BYTE] = 1;
  s[PURE_CHAR] = s[PURE_SIGNED_CHAR] = s[PURE_UNSIGNED_CHAR] = sizeof(char);
  s[PURE_WCHAR] = sizeof(wchar_t);
  s[PURE_SHORT] = s[PURE_UNSIGNED_SHORT] = sizeof(short);
  s[PURE_INT] = s[PURE_UNSIGNED] = sizeof(int);
  s[PURE_LONG] = s[PURE_UNSIGNED_LONG] = sizeof(long);
  s[PURE_LONG_LONG] = s[PURE_UNSIGNED_LONG_LONG] = sizeof(long long);
  s[PURE_FLOAT] = sizeof(float);
  s[PURE_DOUBLE] = sizeof(double);
  s[PURE_LONG_DOUBLE] = sizeof(long double);
  s[PURE_BOOL] = sizeof(bool);
  s[PURE_INT8_T] = s[PURE_UINT8_T] = 1;
  s[PURE_INT16_T] = s[PURE_UINT16_T] = 2;
  s[PURE_INT32_T] = s[PURE_UINT32_T] = 4;
  s[PURE_INT64_T] = s[PURE_UINT64_T] = 8;
  s[PURE_COMPLEX_FLOAT] = sizeof(std::complex<float>);
  s[PURE_COMPLEX_DOUBLE] = sizeof(std::complex<double>);
  s[PURE_SIZE_T] = sizeof(std::size_t);
  s[PURE_FLOAT_INT] = sizeof(value_index<float>);
  s[PURE_DOUBLE_INT] = sizeof(value_index<double>);
  s[PURE_LONG_INT] = sizeof(value_index<long>);
  s[PURE_2INT] = sizeof(value_index<int>);
  s[PURE_SHORT_INT] = sizeof(value_index<short>);
  s[PURE_LONG_DOUBLE_INT] = sizeof(value_index<long double>);
  return s;
}();

inline std::size_t size_of_type(pure_datatype type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  return index < type_sizes.size() ? type_sizes[index] : 0;
}

/// Whether arithmetic on the type is that of integers (MPI 4.1, 6.9.2; characters are not), and of which.
enum class integer_kind { none, with_sign, without_sign };

constexpr integer_kind integer_kind_of(pure_datatype type) noexcept {
  switch (type) {
    case PURE_SIGNED_CHAR:
    case PURE_SHORT:
    case PURE_INT:
    case PURE_LONG:
    case PURE_LONG_LONG:
    case PURE_INT8_T:
    case PURE_INT16_T:
    case PURE_INT32_T:
    case PURE_INT64_T: return integer_kind::with_sign;
    case PURE_UNSIGNED_CHAR:
    case PURE_UNSIGNED_SHORT:
    case PURE_UNSIGNED:
    case PURE_UNSIGNED_LONG:
    case PURE_UNSIGNED_LONG_LONG:
    case PURE_UINT8_T:
    case PURE_UINT16_T:
    case PURE_UINT32_T:
    case PURE_UINT64_T:
    case PURE_SIZE_T: return integer_kind::without_sign;
    default: return integer_kind::none;
  }
}

}  // namespace pure::core
