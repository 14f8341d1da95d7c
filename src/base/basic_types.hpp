// What pure_datatype names: sizes and alignments, and the pairs of PURE_MINLOC and PURE_MAXLOC.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

#include <pure/datatypes.h>

namespace pure::core {

/// The layout of PURE_FLOAT_INT (Value = float) and its kin.
template <class Value>
struct value_index {
  Value value;
  int index;
};

/// In bytes; 0: not a type.
struct type_form {
  unsigned char bytes = 0;
  unsigned char alignment = 0;
};
template <class T>
inline constexpr type_form form_of_type{sizeof(T), alignof(T)};

inline constexpr auto type_forms = [] {
  std::array<type_form, PURE_LONG_DOUBLE_INT + 1> f{};
  f[PURE_BYTE] = form_of_type<std::byte>;
  f[PURE_CHAR] = f[PURE_SIGNED_CHAR] = f[PURE_UNSIGNED_CHAR] = form_of_type<char>;
  f[PURE_WCHAR] = form_of_type<wchar_t>;
  f[PURE_SHORT] = f[PURE_UNSIGNED_SHORT] = form_of_type<short>;
  f[PURE_INT] = f[PURE_UNSIGNED] = form_of_type<int>;
  f[PURE_LONG] = f[PURE_UNSIGNED_LONG] = form_of_type<long>;
  f[PURE_LONG_LONG] = f[PURE_UNSIGNED_LONG_LONG] = form_of_type<long long>;
  f[PURE_FLOAT] = form_of_type<float>;
  f[PURE_DOUBLE] = form_of_type<double>;
  f[PURE_LONG_DOUBLE] = form_of_type<long double>;
  f[PURE_BOOL] = form_of_type<bool>;
  f[PURE_INT8_T] = f[PURE_UINT8_T] = form_of_type<std::int8_t>;
  f[PURE_INT16_T] = f[PURE_UINT16_T] = form_of_type<std::int16_t>;
  f[PURE_INT32_T] = f[PURE_UINT32_T] = form_of_type<std::int32_t>;
  f[PURE_INT64_T] = f[PURE_UINT64_T] = form_of_type<std::int64_t>;
  f[PURE_COMPLEX_FLOAT] = form_of_type<std::complex<float>>;
  f[PURE_COMPLEX_DOUBLE] = form_of_type<std::complex<double>>;
  f[PURE_SIZE_T] = form_of_type<std::size_t>;
  f[PURE_FLOAT_INT] = form_of_type<value_index<float>>;
  f[PURE_DOUBLE_INT] = form_of_type<value_index<double>>;
  f[PURE_LONG_INT] = form_of_type<value_index<long>>;
  f[PURE_2INT] = form_of_type<value_index<int>>;
  f[PURE_SHORT_INT] = form_of_type<value_index<short>>;
  f[PURE_LONG_DOUBLE_INT] = form_of_type<value_index<long double>>;
  return f;
}();

inline std::size_t size_of_type(pure_datatype type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  return index < type_forms.size() ? type_forms[index].bytes : 0;
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
