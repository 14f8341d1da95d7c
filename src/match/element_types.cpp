#include "match/element_types.hpp"

#include <array>
#include <cstddef>
#include <type_traits>

#include <pure/datatypes.h>

#include "base/basic_types.hpp"

namespace pure::core {

namespace {

struct named_type {
  const char* name = nullptr;
  std::uint8_t values = 0;  // the first code whose type has the same values
};

/// The fixed-width type of an integer.
template <class Integer>
constexpr std::uint8_t fixed_width() noexcept {
  constexpr std::uint8_t is_signed[] = {PURE_INT8_T, PURE_INT16_T, PURE_INT32_T, PURE_INT64_T};
  constexpr std::uint8_t is_unsigned[] = {PURE_UINT8_T, PURE_UINT16_T, PURE_UINT32_T, PURE_UINT64_T};
  constexpr std::size_t width = sizeof(Integer) == 1 ? 0 : sizeof(Integer) == 2 ? 1 : sizeof(Integer) == 4 ? 2 : 3;
  return std::is_signed_v<Integer> ? is_signed[width] : is_unsigned[width];
}

constexpr auto named_types = [] {
  std::array<named_type, PURE_LONG_DOUBLE_INT + 1> t{};
  t[PURE_BYTE] = {"byte", PURE_BYTE};
  t[PURE_CHAR] = {"char", PURE_CHAR};
  t[PURE_SIGNED_CHAR] = {"signed char", fixed_width<signed char>()};
  t[PURE_UNSIGNED_CHAR] = {"unsigned char", fixed_width<unsigned char>()};
  t[PURE_WCHAR] = {"wchar_t", PURE_WCHAR};
  t[PURE_SHORT] = {"short", fixed_width<short>()};
  t[PURE_UNSIGNED_SHORT] = {"unsigned short", fixed_width<unsigned short>()};
  t[PURE_INT] = {"int", fixed_width<int>()};
  t[PURE_UNSIGNED] = {"unsigned", fixed_width<unsigned>()};
  t[PURE_LONG] = {"long", fixed_width<long>()};
  t[PURE_UNSIGNED_LONG] = {"unsigned long", fixed_width<unsigned long>()};
  t[PURE_LONG_LONG] = {"long long", fixed_width<long long>()};
  t[PURE_UNSIGNED_LONG_LONG] = {"unsigned long long", fixed_width<unsigned long long>()};
  t[PURE_FLOAT] = {"float", PURE_FLOAT};
  t[PURE_DOUBLE] = {"double", PURE_DOUBLE};
  t[PURE_LONG_DOUBLE] = {"long double", PURE_LONG_DOUBLE};
  t[PURE_BOOL] = {"bool", PURE_BOOL};
  t[PURE_INT8_T] = {"std::int8_t", PURE_INT8_T};
  t[PURE_INT16_T] = {"std::int16_t", PURE_INT16_T};
  t[PURE_INT32_T] = {"std::int32_t", PURE_INT32_T};
  t[PURE_INT64_T] = {"std::int64_t", PURE_INT64_T};
  t[PURE_UINT8_T] = {"std::uint8_t", PURE_UINT8_T};
  t[PURE_UINT16_T] = {"std::uint16_t", PURE_UINT16_T};
  t[PURE_UINT32_T] = {"std::uint32_t", PURE_UINT32_T};
  t[PURE_UINT64_T] = {"std::uint64_t", PURE_UINT64_T};
  t[PURE_COMPLEX_FLOAT] = {"std::complex<float>", PURE_COMPLEX_FLOAT};
  t[PURE_COMPLEX_DOUBLE] = {"std::complex<double>", PURE_COMPLEX_DOUBLE};
  t[PURE_SIZE_T] = {"std::size_t", fixed_width<std::size_t>()};
  t[PURE_FLOAT_INT] = {"a pair of float and int", PURE_FLOAT_INT};
  t[PURE_DOUBLE_INT] = {"a pair of double and int", PURE_DOUBLE_INT};
  t[PURE_LONG_INT] = {"a pair of long and int", PURE_LONG_INT};
  t[PURE_2INT] = {"a pair of int", PURE_2INT};
  t[PURE_SHORT_INT] = {"a pair of short and int", PURE_SHORT_INT};
  t[PURE_LONG_DOUBLE_INT] = {"a pair of long double and int", PURE_LONG_DOUBLE_INT};
  return t;
}();

std::uint32_t values_of(element_type type) noexcept {
  return type.code < named_types.size() ? named_types[type.code].values : type.code;
}

}  // namespace

bool types_match(element_type sent, element_type received) noexcept {
  return sent.code == received.code || sent.code == 0 || received.code == 0 || values_of(sent) == values_of(received);
}

std::string to_text(element_type type) {
  return type.code < named_types.size() && type.code != 0 ? named_types[type.code].name : "a class";
}

}  // namespace pure::core
